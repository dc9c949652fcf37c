/**
 * Takes one protection after the other out of a copy of the sources and shows which test notices. By hand, for it takes half
 * an hour: `node packages/core/test/mutants/run.ts [part of a name]`.
 */
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { engineMutants } from "./engine-mutants.ts";
import type { Mutant } from "./mutant.ts";
import { storeMutants } from "./store-mutants.ts";

const repository = join(import.meta.dirname, "../../../..");
const suites = ["in-process", "conformance", "engine", "client", "worker", "model", "simulation"];
const seeds = "400";
const limitMs = 240_000;

interface Result {
  readonly failed: readonly { readonly suite: string; readonly name: string; readonly message: string }[];
  readonly hung: boolean;
}

/** A copy of the package in which the tests run as they do here. */
function copySources(): string {
  const root = mkdtempSync(join(tmpdir(), "mutants-"));
  for (const path of [
    "package.json",
    "tsconfig.base.json",
    "packages/core/package.json",
    "packages/core/tsconfig.json",
  ])
    cpSync(join(repository, path), join(root, path));
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

async function runTests(root: string): Promise<Result> {
  const report = join(root, "report.json");
  rmSync(report, { force: true });
  const paths = suites.map((suite) => `packages/core/test/${suite}/`);
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const child = spawn(
    process.execPath,
    [vitest, "run", "--root", root, "--reporter=json", `--outputFile=${report}`, "--testTimeout=20000", ...paths],
    {
      env: { ...process.env, SIMULATION_SEEDS: seeds, SIMULATION_SHRINK_MS: "1000", MODEL_RUNS: "200" },
      stdio: "ignore",
      detached: true,
    },
  );
  const hung = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => {
      // Its workers too: they are its group.
      process.kill(-(child.pid ?? 0), "SIGKILL");
      resolve(true);
    }, limitMs);
    child.on("exit", () => {
      clearTimeout(timer);
      resolve(false);
    });
  });
  return { failed: hung ? [] : failuresIn(readFileSync(report, "utf8")), hung };
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly title: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

function failuresIn(text: string): Result["failed"] {
  const { testResults } = JSON.parse(text) as Report;
  return testResults.flatMap(({ name, assertionResults }) => {
    const suite = suites.find((known) => name.includes(`/test/${known}/`)) ?? "elsewhere";
    return assertionResults
      .filter(({ status }) => status === "failed")
      .map(({ title, failureMessages }) => ({ suite, name: title, message: failureMessages[0] ?? "" }));
  });
}

/** One row of the table: who noticed, and the first of each suite by name. */
function rowOf({ name }: Mutant, { failed, hung }: Result): string {
  const cells = suites.map((suite) => {
    const own = failed.filter((failure) => failure.suite === suite);
    const [first] = own;
    if (first === undefined) return "";
    const what = suite === "simulation" ? (/seed \d+/.exec(first.message)?.[0] ?? first.name) : first.name;
    return own.length > 1 ? `${what} (+${own.length - 1})` : what;
  });
  const caught = hung ? "hangs" : failed.length > 0 ? "yes" : "**NO**";
  return `| ${[name, caught, ...cells].join(" | ")} |`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const wanted = process.argv[2] ?? "";
const root = copySources();
print(`| protection taken out | noticed | ${suites.join(" | ")} |`);
print(`| --- | --- | ${suites.map(() => "---").join(" | ")} |`);
const { failed } = await runTests(root);
if (failed.length > 0) print(`nothing taken out, and yet: ${JSON.stringify(failed, undefined, 1)}`);
for (const mutant of [...storeMutants, ...engineMutants].filter(({ name }) => name.includes(wanted))) {
  const restore = apply(root, mutant);
  print(rowOf(mutant, await runTests(root)));
  restore();
}
rmSync(root, { recursive: true });
