import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { standsOnce } from "../src/mutant.ts";
import { targets } from "../src/targets.ts";

const repository = join(import.meta.dirname, "../../..");
const mutants = targets.flatMap((target) => target.mutants);
const read = (path: string) => readFileSync(join(repository, path), "utf8");

it.each(mutants)("what the mutant $name takes out is there, once", (mutant) => {
  const source = read(mutant.file);
  expect(standsOnce(source, mutant)).toBe(true);
});

it("has a name for each mutant", () => {
  const names = mutants.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});

it("every mutant stands in the documentation's tables, with the test that notices it", () => {
  const rows = read("docs-site/guarantees/tests.md").split("\n");
  const told = rows.map((row) => row.split("|").map((cell) => cell.trim()));
  const noticed = new Set(told.filter(([, , suite, test]) => suite && test).map(([, name]) => name));
  expect(mutants.map(({ name }) => name).filter((name) => !noticed.has(name))).toEqual([]);
});
