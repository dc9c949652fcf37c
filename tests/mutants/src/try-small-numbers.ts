/**
 * Makes numbers small in a copy of the sources, all together or those that are named, and runs the suites that are data, none of whose
 * cases may fail.
 */
import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { apply, copySources } from "./copy-sources.ts";
import { endWithThisProcess } from "./end-with-this-process.ts";
import type { Mutant } from "./mutant.ts";
import { providePostgres } from "./provide-postgres.ts";
import { smallNumbers } from "./small-numbers.ts";
import { runSteps } from "./suites.ts";

const usage = `Usage: npm run small-numbers -- [part of a name]...

Makes numbers small in a copy of the sources, all together, and runs the conformance cases, the model and the simulation on every store.
Ends with status 1 if a case fails.

  part of a name     only numbers whose name contains one of these texts
  --list             print the names of the numbers and end
  -h, --help         print this text and end
`;

const choice = readChoice();
if (typeof choice === "string") {
  process.stderr.write(`${choice}\n\n${usage}`);
  process.exitCode = 2;
} else if (choice.help) process.stdout.write(usage);
else if (choice.list) process.stdout.write(`${choice.numbers.map(({ name }) => name).join("\n")}\n`);
else process.exitCode = (await passesWith(choice.numbers)) ? 0 : 1;

/** A mistake in the command line is returned as a sentence. */
function readChoice() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { list: { type: "boolean" }, help: { type: "boolean", short: "h" } },
    });
    const isChosen = (name: string) => positionals.length === 0 || positionals.some((part) => name.includes(part));
    const numbers = smallNumbers.filter(({ name }) => isChosen(name));
    if (numbers.length > 0) return { ...values, numbers };
    return `no number has a name that contains "${positionals.join('" or "')}"; --list prints all names`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Whether every case passes with these numbers. */
async function passesWith(chosen: readonly Mutant[]): Promise<boolean> {
  const { signal } = endWithThisProcess();
  const root = copySources();
  const postgres = await providePostgres();
  let isGood = true;
  try {
    for (const number of chosen) apply(root, number);
    for (const name of ["core", "sqlite", "postgres"]) {
      const module = `packages/${name}/test/probe.ts`;
      const found = await runSteps([{ kind: "probe", module }], { root, every: true, signal, limitMs: 900_000 });
      for (const [suite, failed] of found) {
        process.stdout.write(`${name}, ${suite}: ${failed.length === 0 ? "passed" : failed.join("; ")}\n`);
        isGood &&= failed.length === 0;
      }
    }
    return isGood;
  } finally {
    await postgres.stop();
    rmSync(root, { recursive: true, force: true });
  }
}
