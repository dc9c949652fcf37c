import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compile, type Compilation } from "../src/compile.ts";
import { compilers, type Compiler } from "../src/compilers.ts";
import { emittedDeclarations } from "../src/declarations.ts";
import { createProjects, type Projects } from "../src/projects.ts";
import { countTypes, scenarios } from "../src/scenarios/all.ts";
import { pinned } from "./pinned.ts";

/** How far a count may be above its pin. A count far below it fails as well, so that the pin is updated. */
const allowance = 0.02;

let projects: Projects;
let removeDeclarations: () => void;
const counts = new Map<string, Compilation>();

// TypeScript 7 counts as 6 does within one in a hundred, in a tenth of the time.
const newest: Compiler = (() => {
  const compiler = compilers.at(-1);
  if (compiler === undefined) throw new Error("no TypeScript to count with");
  return compiler;
})();

beforeAll(async () => {
  const declarations = await emittedDeclarations();
  removeDeclarations = declarations.remove;
  projects = createProjects(declarations.path);
  for (const scenario of scenarios) counts.set(scenario.name, await compile(projects.write(scenario, false), newest));
}, 120_000);

afterAll(() => {
  projects?.remove();
  removeDeclarations?.();
});

describe.each(scenarios)("$name", (scenario) => {
  it("compiles without an error", () => {
    expect(counts.get(scenario.name)?.errors).toEqual([]);
  });

  it("takes no more instantiations than it did", () => {
    const pin = pinned[scenario.name] ?? 0;
    const count = counts.get(scenario.name)?.instantiations ?? Infinity;
    expect(count, `pinned at ${pin}: see test/pinned.ts`).toBeLessThanOrEqual(Math.ceil(pin * (1 + allowance)));
    expect(count, `pinned at ${pin}: take the better count into test/pinned.ts`).toBeGreaterThan(
      pin * (1 - 2 * allowance),
    );
  });
});

it("a mistake in the last handler of every scenario is reported on its line, and nothing else is reported", async () => {
  const wrong = scenarios.map((scenario) => projects.write(scenario, true));
  const { errors } = await compile(projects.join(wrong), newest);
  expect(errors.map(({ file, line }) => `${file}:${line}`).toSorted()).toEqual(
    wrong.map(({ file, mistakeLine }) => `${file}:${mistakeLine}`).toSorted(),
  );
}, 60_000);

it("three signals a type take at most 15 percent more than the same types without signals", () => {
  const [without = 0, signalled = Infinity] = ["linear 100", "signals 100"].map(
    (name) => counts.get(name)?.instantiations,
  );
  expect(signalled).toBeLessThanOrEqual(without * 1.15);
});

describe("growth is linear in the number of types", () => {
  const families = [
    ["linear 10", "linear 50", "linear 100", "linear 500"],
    ["merge 2 x 50", "merge 10 x 50", "merge 20 x 50", "merge 50 x 50"],
    ["loop 20", "loop 50"],
    ["blockers 8", "blockers 25"],
    ["structural 100 to all", "structural 400 to all", "structural 800 to all"],
  ];
  it.each(families.map((family) => ({ family })))("$family", ({ family }) => {
    const points = family.map((name) => {
      const scenario = scenarios.find((candidate) => candidate.name === name);
      return {
        types: scenario === undefined ? 0 : countTypes(scenario),
        count: counts.get(name)?.instantiations ?? Infinity,
      };
    });
    const slopes = points.slice(1).map((point, index) => {
      const before = points[index] ?? point;
      return (point.count - before.count) / (point.types - before.types);
    });
    // The cost of one more type does not depend on the number of types.
    expect(Math.max(...slopes)).toBeLessThan(Math.min(...slopes) * 1.25);
  });
});
