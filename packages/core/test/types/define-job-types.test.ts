import { defineJobTypes } from "chainwright";
import { describe, expect, it } from "vitest";
import { schema } from "./schema.ts";

describe("the result of defineJobTypes at run time", () => {
  it("is empty for types without schemas", () => {
    expect(defineJobTypes<{ a: { input: null; output: null } }>().definitions).toBeUndefined();
  });

  it("has the schemas, in a new object", () => {
    const definitions = { a: { entry: true, input: schema<string>(), output: schema<number>() } } as const;
    const slice = defineJobTypes(definitions);
    expect(slice.definitions).toEqual(definitions);
    expect(slice.definitions).not.toBe(definitions);
  });

  it("may have a function as a schema, like those of arktype", () => {
    const callable = Object.assign(() => undefined, schema<string>());
    expect(defineJobTypes({ a: { input: callable, output: callable } }).definitions).toHaveProperty(
      "a.input",
      callable,
    );
  });
});

it("continuations and blockers with schemas are written as a name, as a list, by their input, or as a rest", () => {
  const text = schema<string>();
  const entry = { entry: true, input: text, output: text } as const;
  const slice = defineJobTypes({
    a: { input: text, continueWith: "b" },
    b: { input: text, continueWith: ["a", { input: text }], blockers: ["c", { anyOf: ["c", "d"] }, { rest: ["d"] }] },
    c: entry,
    d: entry,
  });
  expect(Object.keys(slice.definitions ?? {})).toEqual(["a", "b", "c", "d"]);
});

describe("wrong definitions that the types do not catch, or that JavaScript code wrote, are refused at once", () => {
  const text = schema<string>();
  it.each([
    {
      why: "no object",
      definitions: "orders",
      says: "definitions must be an object with a definition for each name; got a value of type string.",
    },
    {
      why: "a type that is no object",
      definitions: { a: 5 },
      says: 'the definition of "a" must be an object; got a value of type number.',
    },
    {
      why: "an input that is no schema",
      definitions: { a: { input: {}, output: text } },
      says: 'input of "a" must be a Standard Schema; got a value of type object.',
    },
    {
      why: "an output that is no schema",
      definitions: { a: { input: text, output: "text" } },
      says: 'output of "a" must be a Standard Schema; got a value of type string.',
    },
    {
      why: "an unknown key",
      definitions: { a: { input: text, outptu: text } },
      says: '"a" has "outptu", which no job type has; it may have entry, input, output, continueWith, blockers, signals, checkpoint, progress, compensate, whenStopped, elsewhere.',
    },
    {
      why: "an entry that is no boolean",
      definitions: { a: { entry: 1, input: text, output: text } },
      says: 'entry of "a" must be true or false; got a value of type number.',
    },
    {
      why: "a continueWith that is neither a name nor a list of names",
      definitions: { a: { input: text, continueWith: ["b", 5] } },
      says: 'continueWith of "a" must be a name, { input: schema }, or an array of them; got a value of type number.',
    },
    {
      why: "a structural target without a schema",
      definitions: { a: { input: text, continueWith: { input: "text" } } },
      says: 'continueWith of "a" must be a name, { input: schema }, or an array of them; got a value of type object.',
    },
    {
      why: "a blocker that is no name",
      definitions: { a: { input: text, output: text, blockers: ["b", { anyOf: [] }] } },
      says: 'blocker 1 of "a" must be a name, { anyOf: names }, or { rest: names }; got a value of type object.',
    },
    {
      why: "a rest before other blockers",
      definitions: { a: { input: text, output: text, blockers: [{ rest: "b" }, "c"] } },
      says: 'blockers of "a" must have { rest: names } only in the last place.',
    },
    {
      why: "blockers that are no list",
      definitions: { a: { input: text, output: text, blockers: "b" } },
      says: 'blockers of "a" must be an array of names; got a value of type string.',
    },
    {
      why: "a step with no way on",
      definitions: { a: { input: text } },
      says: '"a" has neither an output nor a continueWith; a last step needs an output.',
    },
  ])("$why", ({ definitions, says }) => {
    expect(() => defineJobTypes(definitions as never)).toThrow(
      expect.objectContaining({ code: "invalid-input", message: says }),
    );
  });
});
