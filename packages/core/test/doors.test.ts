import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const source = readFileSync(join(import.meta.dirname, "../src/index.ts"), "utf8");
const clauses = [...source.matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(([, type, names = ""]) =>
  names
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")
    .map((name) => ({ isType: type !== undefined || name.startsWith("type ") })),
);

describe("the main door of core", () => {
  it("offers at most 40 values, so that an application finds what it needs", () => {
    expect(clauses.filter(({ isType }) => !isType).length).toBeLessThanOrEqual(40);
  });

  it("exports nothing in another form, which the count would miss", () => {
    expect(source.match(/^export /gm)).toHaveLength([...source.matchAll(/^export (?:type )?\{/gm)].length);
  });
});
