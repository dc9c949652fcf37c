import { expect, it } from "vitest";
import type { Declaration } from "../src/declarations.ts";
import { locate } from "../src/locate.ts";

const declare = (path: string, text: string): Declaration => ({ name: "run", path, start: 0, text });
const mutant = { name: "m", in: "core:run", find: "call(first, second)", replace: "" };

it("finds a text however it is broken into lines", () => {
  const text = "function run() { call(\n  first,\n  second,\n); }";
  expect(locate(mutant, () => [declare("a.ts", text)])).toEqual({ path: "a.ts", start: 17, end: text.length - 3 });
});

it("finds a text in the one declaration of that name that has it", () => {
  const others = [declare("a.ts", "function run() {}"), declare("b.ts", "const run = call(first, second);")];
  expect(locate(mutant, () => others).path).toBe("b.ts");
});

it("does not take a part of a word for the word", () => {
  const longer = () => [declare("a.ts", "function run() { recall(first, second); }")];
  expect(() => locate(mutant, longer)).toThrow("does not contain this text");
});

it("says which declaration is missing and what to do", () => {
  expect(() => locate(mutant, () => [])).toThrow(/no top-level declaration is called core:run\..*set `in`/s);
});

it("says which text is missing and what to do", () => {
  const changed = () => [declare("a.ts", "function run() {}")];
  expect(() => locate(mutant, changed)).toThrow(/core:run \(a\.ts\).*call\(first, second\).*Set `find` and `replace`/s);
});

it("refuses a text that occurs twice", () => {
  const twice = () => [declare("a.ts", "call(first, second); call(first, second);")];
  expect(() => locate(mutant, twice)).toThrow(/contains this text 2 times.*Make `find` longer/s);
});
