import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "./run-program.ts";

/** The failed tests by suite. A suite that did not end has failed as a whole; one that was not run is missing. */
export type Found = ReadonlyMap<string, readonly string[]>;

/** A program that runs one suite or more, the cheapest first. */
export type Step =
  | { readonly kind: "probe"; readonly module: string }
  | { readonly kind: "tests"; readonly suite: string; readonly paths: readonly string[]; readonly pattern?: string };

interface Run {
  readonly root: string;
  /** Whether to continue after a suite that has failed. */
  readonly every: boolean;
  readonly signal: AbortSignal;
  /** How long a step may take. */
  readonly limitMs?: number;
}

/** Runs one step after the other, until a suite has failed or, with `every`, to the end. */
export async function runSteps(steps: readonly Step[], run: Run): Promise<Found> {
  const found = new Map<string, readonly string[]>();
  for (const step of steps) {
    const here = step.kind === "probe" ? await probe(step, run) : await runTests(step, run);
    for (const [suite, failed] of here) found.set(suite, failed);
    if (!run.every && [...found.values()].some((failed) => failed.length > 0)) break;
  }
  return found;
}

async function probe(
  { module }: Step & { readonly kind: "probe" },
  { root, every, signal, limitMs }: Run,
): Promise<Found> {
  const found = new Map<string, readonly string[]>();
  const flags = every ? ["--every"] : [];
  const args = ["tests/mutants/src/probe-process.ts", module, ...flags];
  const { printed, ended } = await runProgram(root, args, { signal, limitMs });
  for (const line of printed.split("\n").filter((text) => text.startsWith("{"))) {
    const { suite, failed } = JSON.parse(line) as { readonly suite: string; readonly failed: readonly string[] };
    found.set(suite, failed);
  }
  if (!ended) found.set(module, ["does not end, or crashes"]);
  return found;
}

async function runTests(step: Step & { readonly kind: "tests" }, { root, signal, limitMs }: Run): Promise<Found> {
  const report = join(root, "report.json");
  rmSync(report, { force: true });
  const output = ["--reporter=json", `--outputFile=${report}`];
  const limits = ["--typecheck.enabled=false", "--testTimeout=20000", "--bail=3"];
  const pattern = step.pattern === undefined ? [] : ["-t", step.pattern];
  const vitest = ["node_modules/vitest/vitest.mjs", "run"];
  await runProgram(root, [...vitest, ...output, ...limits, ...pattern, ...step.paths], { signal, limitMs });
  const failed = existsSync(report) ? failuresIn(readFileSync(report, "utf8")) : ["does not end"];
  return new Map([[step.suite, failed]]);
}

interface Report {
  readonly success: boolean;
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

function failuresIn(text: string): readonly string[] {
  const { success, testResults } = JSON.parse(text) as Report;
  const all = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = all.filter(({ status }) => status === "failed").map(({ fullName }) => fullName);
  if (failed.length > 0) return failed;
  if (!success) return ["something failed outside of a test"];
  return all.some(({ status }) => status === "passed") ? [] : ["no test was run"];
}
