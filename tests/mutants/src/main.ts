/**
 * Takes one protection after the other out of a copy of the sources and prints which test notices first, as the tables of
 * docs-site/guarantees/tests.md.
 */
import { readArguments, usage } from "./arguments.ts";
import { sweep } from "./sweep.ts";

const choice = readArguments(process.argv.slice(2));
if (choice === "help") {
  process.stdout.write(usage);
} else if ("mistake" in choice) {
  process.stderr.write(`${choice.mistake}\n\n${usage}`);
  process.exitCode = 2;
} else if (choice.list) {
  const names = choice.targets.flatMap(({ mutants }) => mutants.map(({ name }) => name));
  process.stdout.write(`${names.join("\n")}\n`);
} else {
  process.exitCode = (await sweep(choice)) ? 0 : 1;
}
