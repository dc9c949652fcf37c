import { runInNewContext, runInThisContext } from "node:vm";
import { isChainwrightError } from "chainwright";
import { describe, expect, it } from "vitest";
import { parse, serialize } from "../../src/checks/json.ts";

class Money {
  readonly #cents = 5;
  readonly currency = "EUR";

  cents(): number {
    return this.#cents;
  }
}

class Rows extends Array<number> {}

function refusalOf(value: unknown): string {
  try {
    return serialize(value, "the input", 10_000);
  } catch (error) {
    return isChainwrightError(error, "payload-not-serializable") ? error.message : String(error);
  }
}

describe("a payload", () => {
  it.each([
    ["a property of an array", { list: Object.assign([1], { total: 1 }) }, "the input at .list has properties besides"],
    ["a symbol on an array", [Object.assign([], { [Symbol("s")]: 1 })], "the input at [0] has properties besides"],
    ["a symbol", { a: { [Symbol("s")]: 1 } }, "the input at .a has a property that JSON would drop"],
    [
      "a property that is not enumerable",
      Object.defineProperty({}, "a", { value: 1 }),
      "the input has a property that",
    ],
    ["a private field", { price: new Money() }, "the input at .price is an instance of a class"],
    ["what is inherited", Object.create({ a: 1 }), "the input is an instance of a class"],
    [
      "what is inherited from nothing",
      Object.setPrototypeOf({}, Object.setPrototypeOf({ a: 1 }, null) as object),
      "the input is an instance",
    ],
    ["a name of its own for its kind", { [Symbol.toStringTag]: "Order" }, "the input is a Order"],
    ["an Error", new Error("x"), "the input is a Error"],
    ["a list of a class", { rows: Rows.of(1) }, "the input at .rows is an instance of a class"],
    ["a match", { found: /(?<x>b)/u.exec("abc") }, "the input at .found has properties besides its elements"],
  ])("with %s is refused, and the place is named: JSON would drop it", (_what, value: unknown, message) => {
    expect(refusalOf(value)).toContain(message);
  });

  it.skipIf(!("rawJSON" in JSON))("made by JSON.rawJSON is refused: it may be a number that no double holds", () => {
    const raw: unknown = runInNewContext("JSON.rawJSON('1e1000')");
    const own: unknown = runInThisContext("JSON.rawJSON('9007199254740993')");
    for (const value of [raw, own])
      expect(refusalOf({ n: value })).toContain("the input at .n is a value of JSON.rawJSON");
  });

  it.each([
    ["without a prototype", Object.assign(Object.create(null), { a: [1] })],
    ["of another realm", runInNewContext("({ a: [1] })")],
    ["of another realm in one of this", { a: runInNewContext("[1]") as unknown }],
    ["that is frozen", Object.freeze({ a: Object.freeze([1]) })],
    ["with a property that is undefined", { a: [1], b: undefined }],
    ["with a getter", Object.defineProperty({}, "a", { enumerable: true, get: () => [1] })],
  ])("%s is stored as it is", (_what, value: unknown) => {
    expect(parse(serialize(value, "the input", 100))).toEqual({ a: [1] });
  });
});
