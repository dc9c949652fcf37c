import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { areasOf, testArguments } from "../bootstrap/areas.mjs";

const areas = areasOf(fileURLToPath(new URL("../../", import.meta.url)));

it("has an area for every package and for the docs, the examples, the faults and the mutants", () => {
  const named = ["core", "sqlite", "postgres", "redis", "nats", "otel", "dashboard", "gateway"];
  expect(Object.keys(areas)).toEqual(expect.arrayContaining([...named, "docs", "examples", "faults", "mutants"]));
});

it("turns the name of an area into its folder and leaves paths and options as they are", () => {
  const args = ["sqlite", "core/test/worker", "-t", "a rule"];
  expect(testArguments(args, areas)).toEqual(["packages/sqlite/", "core/test/worker", "-t", "a rule"]);
});

it("refuses a word that is neither an area nor a path, and lists the areas", () => {
  expect(() => testArguments(["sqlit"], areas)).toThrow(/the area must be one of .*sqlite.*; got "sqlit"\./);
});
