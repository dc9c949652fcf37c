import { defineJobTypes } from "chainwright";
import { describe, expect, it } from "vitest";
import { schema } from "./schema.ts";

describe("what defineJobTypes answers at run time", () => {
  it("types alone leave nothing to check", () => {
    expect(defineJobTypes<{ a: { input: null; output: null } }>().definitions).toBeUndefined();
  });

  it("schemas are kept, in an object of its own", () => {
    const definitions = { a: { entry: true, input: schema<string>(), output: schema<number>() } } as const;
    const slice = defineJobTypes(definitions);
    expect(slice.definitions).toEqual(definitions);
    expect(slice.definitions).not.toBe(definitions);
  });

  it("a schema may be a function, as arktype's are", () => {
    const callable = Object.assign(() => undefined, schema<string>());
    expect(defineJobTypes({ a: { input: callable, output: callable } }).definitions).toHaveProperty(
      "a.input",
      callable,
    );
  });
});

describe("definitions that the types let through, or JavaScript wrote, are refused at once", () => {
  const text = schema<string>();
  it.each([
    {
      why: "no object",
      definitions: "orders",
      says: "defineJobTypes takes an object of definitions, one for each name.",
    },
    { why: "a type that is no object", definitions: { a: 5 }, says: '"a" is not defined by an object.' },
    {
      why: "an input that is no schema",
      definitions: { a: { input: {}, output: text } },
      says: 'the input of "a" is not a Standard Schema.',
    },
    {
      why: "an output that is no schema",
      definitions: { a: { input: text, output: "text" } },
      says: 'the output of "a" is not a Standard Schema.',
    },
    {
      why: "an unknown key",
      definitions: { a: { input: text, outptu: text } },
      says: '"a" has "outptu", which no job type has.',
    },
    {
      why: "an entry that is no boolean",
      definitions: { a: { entry: 1, input: text, output: text } },
      says: 'entry of "a" is true or false.',
    },
    {
      why: "a continueWith that is no list",
      definitions: { a: { input: text, continueWith: "b" } },
      says: 'continueWith of "a" is an array of names.',
    },
    {
      why: "blockers that are no list",
      definitions: { a: { input: text, output: text, blockers: "b" } },
      says: 'the blockers of "a" are an array of names.',
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
