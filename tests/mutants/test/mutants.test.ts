import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readDeclarations } from "../src/declarations.ts";
import { locate } from "../src/locate.ts";
import type { Step } from "../src/suites.ts";
import { smallNumbers } from "../src/small-numbers.ts";
import { targets } from "../src/targets.ts";

const repository = join(import.meta.dirname, "../../..");
const mutants = targets.flatMap((target) => target.mutants);
const declarations = readDeclarations(repository);

const named = [...mutants, ...smallNumbers].map((mutant) => [mutant.name, mutant] as const);
it.each(named)("the sources contain what is replaced, once: %s", (_name, mutant) => {
  expect(() => locate(mutant, declarations)).not.toThrow();
});

it("gives each mutant and each small number a name of its own", () => {
  const names = named.map(([name]) => name);
  expect(names).toEqual([...new Set(names)]);
});

const rows = readFileSync(join(repository, "docs-site/guarantees/tests.md"), "utf8").split("\n");
const cells = rows.map((row) => row.split("|").map((cell) => cell.trim()));

it("the documentation names every mutant with the test that notices it", () => {
  const noticed = new Set(cells.filter(([, , suite, test]) => suite && test).map(([, name]) => name));
  expect(mutants.map(({ name }) => name).filter((name) => !noticed.has(name))).toEqual([]);
});

it("the documentation names a suite that runs for the mutant", () => {
  const suiteOf = new Map(cells.map(([, name, suite]) => [name, suite]));
  const suitesOf = (steps: readonly Step[]) => steps.flatMap((step) => (step.kind === "tests" ? [step.suite] : []));
  const all = new Set(targets.flatMap(({ steps }) => suitesOf(steps)));
  const elsewhere = targets.flatMap(({ mutants: own, steps }) =>
    own
      .map(({ name }) => name)
      .filter((name) => {
        const suite = suiteOf.get(name) ?? "";
        return all.has(suite) && !suitesOf(steps).includes(suite);
      }),
  );
  expect(elsewhere).toEqual([]);
});

it("the documentation counts the protections of each list, and of all", () => {
  const text = rows.join("\n");
  const lists = [...text.matchAll(/^::: details .* \((\d+)\)$([^]*?)^:::$/gm)].map(([, count, list = ""]) => {
    const [, , ...listed] = list.split("\n").filter((row) => row.startsWith("|"));
    return { count: Number(count), listed: listed.length };
  });
  expect(lists.map(({ count }) => count)).toEqual(lists.map(({ listed }) => listed));
  expect(lists.reduce((sum, { listed }) => sum + listed, 0)).toBe(mutants.length);
  expect(text).toContain(`The list has ${mutants.length} protections`);
});
