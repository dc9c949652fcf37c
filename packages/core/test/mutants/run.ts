/**
 * Takes one protection after the other out of a copy of the sources and shows which tests notice first. By hand, for it takes
 * a while: `node packages/core/test/mutants/run.ts [part of a name] [--every]`. With `--every` all suites are asked.
 */
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { engineMutants } from "./engine-mutants.ts";
import type { Mutant } from "./mutant.ts";
import { storeMutants } from "./store-mutants.ts";

const repository = join(import.meta.dirname, "../../../..");
const unitTests = ["in-process", "engine", "client", "worker"];
const columns = ["state cases", "behaviour cases", "model", "simulation", "unit tests"];
const limitMs = 180_000;
const flags = process.argv.slice(2).filter((word) => word.startsWith("--"));
const asksAll = flags.includes("--every");

/** What failed, by suite; a suite that did not come to its end, or was not asked, is missing. */
type Found = ReadonlyMap<string, readonly string[]>;

/** A copy of the package in which the tests run as they do here. */
function copySources(): string {
  const root = mkdtempSync(join(tmpdir(), "mutants-"));
  const files = ["package.json", "tsconfig.base.json", "packages/core/package.json", "packages/core/tsconfig.json"];
  for (const path of files) cpSync(join(repository, path), join(root, path));
  for (const path of ["packages/core/src", "packages/core/test"])
    cpSync(join(repository, path), join(root, path), { recursive: true });
  for (const path of ["node_modules", "packages/core/node_modules"])
    symlinkSync(join(repository, path), join(root, path));
  const conditions = JSON.stringify(["@chainwright/source", "module", "node", "default"]);
  const config = `export default { resolve: { conditions: ${conditions} }, ssr: { resolve: { conditions: ${conditions} } } };`;
  writeFileSync(join(root, "vitest.config.mjs"), config);
  return root;
}

function apply(root: string, { name, file, find, replace }: Mutant): () => void {
  const path = join(root, "packages/core/src", file);
  const source = readFileSync(path, "utf8");
  if (source.split(find).length !== 2) throw new Error(`"${name}" does not stand exactly once in ${file}`);
  writeFileSync(
    path,
    source.replace(find, () => replace),
  );
  return () => writeFileSync(path, source);
}

/** Runs a program of the copy; answers what it printed, and stops it and its children once its time is over. */
function run(root: string, args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, ["--conditions=@chainwright/source", ...args], {
    cwd: root,
    env: { ...process.env, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  });
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  return new Promise((resolve) => {
    const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), limitMs);
    child.on("close", () => {
      clearTimeout(timer);
      resolve(printed);
    });
  });
}

async function runTests(root: string): Promise<Found> {
  const found = new Map<string, readonly string[]>();
  const printed = await run(root, [join(root, "packages/core/test/mutants/probe.ts"), ...flags]);
  for (const line of printed.split("\n").filter((text) => text.startsWith("{"))) {
    const { suite, failed } = JSON.parse(line) as { readonly suite: string; readonly failed: readonly string[] };
    found.set(suite, failed);
  }
  if (!asksAll && found.size < columns.length - 1) return found;
  if (!asksAll && [...found.values()].some((failed) => failed.length > 0)) return found;
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const paths = unitTests.map((folder) => `packages/core/test/${folder}/`);
  const report = join(root, "report.json");
  rmSync(report, { force: true });
  const reporter = ["--reporter=json", `--outputFile=${report}`, "--testTimeout=20000"];
  await run(root, [vitest, "run", "--root", root, ...reporter, ...paths]);
  if (existsSync(report)) found.set("unit tests", failuresIn(readFileSync(report, "utf8")));
  return found;
}

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly title: string }[];
  }[];
}

function failuresIn(text: string): readonly string[] {
  const { testResults } = JSON.parse(text) as Report;
  const all = testResults.flatMap(({ assertionResults }) => assertionResults);
  return all.filter(({ status }) => status === "failed").map(({ title }) => title);
}

/** One row of the table: who noticed, the first by name. */
function rowOf(name: string, found: Found): string {
  const isNoticed = [...found.values()].some((failed) => failed.length > 0);
  const cells = columns.map((column) => {
    const failed = found.get(column);
    if (failed === undefined) return isNoticed && !asksAll ? "" : "does not end";
    return failed.length > 1 ? `${failed[0]} (and ${failed.length - 1} more)` : (failed[0] ?? "");
  });
  const caught = cells.some((cell) => cell !== "");
  return `| ${[name, caught ? "yes" : "**NO**", ...cells].join(" | ")} |`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const wanted = process.argv.slice(2).find((word) => !word.startsWith("--")) ?? "";
const root = copySources();
print(`| protection taken out | noticed | ${columns.join(" | ")} |`);
print(`| --- | --- | ${columns.map(() => "---").join(" | ")} |`);
print(rowOf("none", await runTests(root)));
for (const mutant of [...storeMutants, ...engineMutants].filter(({ name }) => name.includes(wanted))) {
  const restore = apply(root, mutant);
  print(rowOf(mutant.name, await runTests(root)));
  restore();
}
rmSync(root, { recursive: true });
