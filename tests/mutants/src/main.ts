/**
 * Takes one protection after the other out of a copy of the sources and shows which test notices first. By hand, for it takes
 * a while: `pnpm mutants [part of a name]... [--target core|brokers|postgres|sqlite]... [--every]`. With `--every` all suites are asked.
 */
import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { provideBackend } from "@chainwright/backends";
import { apply, copySources } from "./copy-sources.ts";
import { ask } from "./suites.ts";
import type { Found } from "./suites.ts";
import { targets } from "./targets.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { target: { type: "string", multiple: true }, every: { type: "boolean", default: false } },
});
const wanted = targets.filter(({ name }) => values.target?.includes(name) ?? true);
const isAskedFor = (name: string) => positionals.length === 0 || positionals.some((part) => name.includes(part));

/** One row of the table: each suite that noticed, and what of it, by its first name. */
function rowOf(name: string, found: Found): string {
  const noticed = [...found].filter(([, failed]) => failed.length > 0);
  const cell = (failed: readonly string[]) =>
    failed.length > 1 ? `${failed[0]} (and ${failed.length - 1} more)` : (failed[0] ?? "");
  const suites = noticed.map(([suite]) => suite).join("<br>");
  const tests = noticed.map(([, failed]) => cell(failed).replaceAll("|", "\\|")).join("<br>");
  return noticed.length === 0 ? `| ${name} | **nobody** | |` : `| ${name} | ${suites} | ${tests} |`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

// What it has begun ends with it.
const ending = new AbortController();
const { signal } = ending;
for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.once(name, () => {
    ending.abort();
    process.exit(1);
  });
}
const root = copySources();
const postgres = wanted.some(({ name }) => name === "postgres")
  ? await provideBackend("postgres", { settings: { fsync: "off", max_connections: "200" } })
  : undefined;
if (postgres !== undefined) process.env["POSTGRES_URL"] = postgres.url;
print("| protection taken out | noticed by | the first test that fails |");
print("| --- | --- | --- |");
for (const { name: target, mutants, steps } of wanted) {
  // Green to begin with: else nothing below says anything.
  const nothing = `nothing (${target})`;
  if (isAskedFor(nothing)) print(rowOf(nothing, await ask(steps, { root, every: true, signal })));
  for (const mutant of mutants.filter(({ name }) => isAskedFor(name))) {
    const restore = apply(root, mutant);
    print(rowOf(mutant.name, await ask(steps, { root, every: values.every, signal })));
    restore();
  }
}
await postgres?.server?.stop();
rmSync(root, { recursive: true, force: true });
