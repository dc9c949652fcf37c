import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readDeclarations } from "../src/declarations.ts";
import { locate } from "../src/locate.ts";
import { targets } from "../src/targets.ts";

const repository = join(import.meta.dirname, "../../..");
const mutants = targets.flatMap((target) => target.mutants);
const declarations = readDeclarations(repository);

const named = mutants.map((mutant) => [mutant.name, mutant] as const);
it.each(named)("the sources contain what the mutant replaces, once: %s", (_name, mutant) => {
  expect(() => locate(mutant, declarations)).not.toThrow();
});

it("gives each mutant a name of its own", () => {
  const names = mutants.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});

it("the documentation names every mutant with the test that notices it", () => {
  const rows = readFileSync(join(repository, "docs-site/guarantees/tests.md"), "utf8").split("\n");
  const cells = rows.map((row) => row.split("|").map((cell) => cell.trim()));
  const noticed = new Set(cells.filter(([, , suite, test]) => suite && test).map(([, name]) => name));
  expect(mutants.map(({ name }) => name).filter((name) => !noticed.has(name))).toEqual([]);
});
