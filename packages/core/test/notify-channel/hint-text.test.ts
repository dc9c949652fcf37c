import { describe, expect, it } from "vitest";
import { checkName } from "../../src/checks/check-options.ts";
import type { Hint, HintMessage } from "../../src/ports/notify.ts";
import { hintTexts, pingText, readText } from "../../src/notify-channel/hint-text.ts";

const most = 65_536;
const read = (text: string) => readText(text, most)?.message?.hints;
const messageOf = (...hints: readonly Hint[]): HintMessage => ({ storeId: "s", senderId: "me", hints });
const awkward = ["a b", "", '"', "\\", "\n", "\u0000", "é", "😀", "\ud800", "__proto__", "[1]", "r1 x"];

describe("the text of hints", () => {
  it("is read back as the same hints, with any characters in the names", () => {
    const hints: Hint[] = awkward.flatMap((name): Hint[] => [
      { kind: "ready", typeName: name, count: 3 },
      { kind: "ready", typeName: name, count: 3, draw: 4_294_967_295 },
      { kind: "ready", typeName: name, count: 3, draw: 7, dueInMs: 60_000 },
      { kind: "taken", workerId: "w-1", typeName: name, count: 0 },
      { kind: "paused", typeName: name },
      { kind: "freed", limit: name, count: 3, draw: 7 },
      { kind: "ended", chainId: name },
      { kind: "interrupt", jobId: name },
    ]);
    const message = messageOf(...hints, { kind: "left", workerId: "w-1" }, { kind: "look" });
    const [text, ...more] = hintTexts(message, 10_000);
    expect(more).toEqual([]);
    expect(readText(text ?? "", most)).toEqual({ isKnown: true, message });
  });

  it("is ASCII, so that its length is its size in bytes", () => {
    const hints = awkward.map((name): Hint => ({ kind: "ended", chainId: name }));
    for (const text of hintTexts(messageOf(...hints), 10_000)) expect(text).toMatch(/^[\x20-\x7e]+$/);
  });

  it("fits into one message of every broker for each name that a job type may have", () => {
    const names = ['"'.repeat(250), "語".repeat(166), "é".repeat(250), "x".repeat(500), "\\".repeat(250)];
    for (const name of names) {
      const typeName = checkName(name, "typeName");
      const hints: Hint[] = [
        { kind: "ready", typeName, count: 1e15 - 1, draw: 4_294_967_295, dueInMs: 60_000 },
        { kind: "taken", workerId: "w".repeat(36), typeName, count: 1e15 - 1 },
        { kind: "paused", typeName },
        { kind: "freed", limit: name, count: 1e15 - 1, draw: 4_294_967_295 },
      ];
      expect(hintTexts(messageOf(...hints), 7_900).flatMap((text) => read(text))).toEqual(hints);
    }
  });

  it("is split into messages that are no longer than the broker carries, with each hint in one of them", () => {
    const hints: Hint[] = Array.from({ length: 500 }, (_, index) => ({ kind: "ended", chainId: `chain-${index}` }));
    for (const limit of [60, 61, 62, 63, 64, 100, 7_999]) {
      const texts = hintTexts(messageOf(...hints), limit);
      expect(Math.max(...texts.map((text) => text.length))).toBeLessThanOrEqual(limit);
      expect(texts.flatMap((text) => read(text))).toEqual(hints);
    }
  });

  it("replaces all hints that fit into no message by one hint to look", () => {
    const tooLong: Hint = { kind: "ready", typeName: "x".repeat(100), count: 1 };
    const hints: Hint[] = [{ kind: "ended", chainId: "short" }, tooLong, tooLong, { kind: "ended", chainId: "also" }];
    expect(hintTexts(messageOf(...hints), 60).flatMap((text) => read(text))).toEqual([
      hints[0],
      hints[3],
      { kind: "look" },
    ]);
    expect(hintTexts(messageOf(tooLong), 60).flatMap((text) => read(text))).toEqual([{ kind: "look" }]);
  });

  it("of a ping shows that messages arrive, and carries no hints", () => {
    expect(readText(pingText("me"), most)).toEqual({ isKnown: true, message: undefined });
  });

  it("is parsed only up to its head until its hints are used", () => {
    const message = readText("cw1 s me [no JSON at all", most)?.message;
    expect(message).toMatchObject({ storeId: "s", senderId: "me" });
    expect(message?.hints).toEqual([]);
  });

  it("of a newer version is read as a hint to look at its store, and does not show that hints arrive", () => {
    for (const text of ['cw2 s me ["anything"]', "cw2 s", "cw17 s {}", "cw9999 s me [", "cw2 s \u0000"]) {
      const newer = readText(text, most);
      expect(newer).toMatchObject({ isKnown: false, message: { storeId: "s", hints: [{ kind: "look" }] } });
    }
  });

  it.each([
    "",
    " ",
    "hello",
    "cw1",
    "cw1 ",
    "cw1 s",
    "cw1 s me",
    "cw1 s me x",
    "cw1  me []",
    "cw1 s  []",
    'cw0 s me ["ex"]',
    "CW1 s me []",
    "cw12345 s me []",
    "cw2",
    "cw2 ",
    "cw2 \u0000",
    `cw1 ${"s".repeat(65)} me []`,
    `cw1 s ${"m".repeat(65)} []`,
    `cw2 ${"s".repeat(65)} me []`,
    '{"r":1}',
    "\u0000",
  ])("is ignored if no adapter wrote it: %j", (junk) => {
    expect(readText(junk, most)).toBeUndefined();
  });

  it("is ignored if it is longer than any adapter writes", () => {
    const [text = ""] = hintTexts(messageOf({ kind: "ended", chainId: "c" }), most);
    expect(readText(text, text.length)).toBeDefined();
    expect(readText(text, text.length - 1)).toBeUndefined();
  });

  it.each([
    "",
    "nonsense",
    "{}",
    "null",
    "[",
    '[1, null, {}, [], "", "x", "r", "rx a", "r0 a", "r-1 a", "r1.a a", "r1", "r1e99 a"]',
    `["t0 ${"w".repeat(65)} a", "t0 w;x a", "t0  a", "l${"w".repeat(65)}", "l", "lw x", "l\\u0000"]`,
  ])("holds no hints if its words are %j", (body) => {
    expect(read(`cw1 s me ${body}`) ?? []).toEqual([]);
  });

  it("is read without the words of unknown kinds", () => {
    expect(read('cw1 s me ["znew","eold"]')).toEqual([{ kind: "ended", chainId: "old" }]);
  });
});
