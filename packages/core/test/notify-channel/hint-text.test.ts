import { describe, expect, it } from "vitest";
import type { Hint } from "../../src/ports/notify.ts";
import { hintTexts, pingText, readMessage } from "../../src/notify-channel/hint-text.ts";

const read = (text: string) => readMessage(text)?.hints();
const awkward = ["a b", "", '"', "\\", "\n", "\u0000", "é", "😀", "\ud800", "__proto__", "[1]", "r1 x"];

describe("the text of hints", () => {
  it("comes back as it went in, whatever the names hold", () => {
    const hints: Hint[] = awkward.flatMap((name): Hint[] => [
      { kind: "ready", typeName: name, count: 3 },
      { kind: "ready", typeName: name, count: 3, draw: 4_294_967_295 },
      { kind: "taken", workerId: "w-1", typeName: name, count: 0 },
      { kind: "left", workerId: name },
      { kind: "ended", chainId: name },
      { kind: "interrupt", jobId: name },
    ]);
    const [text, ...more] = hintTexts("me", hints, 10_000);
    expect(more).toEqual([]);
    expect(read(text ?? "")).toEqual(hints);
  });

  it("is ASCII, so that its length is its size in bytes", () => {
    for (const text of hintTexts(
      "me",
      awkward.map((name) => ({ kind: "ended", chainId: name })),
      10_000,
    )) {
      expect(text).toMatch(/^[\x20-\x7e]+$/);
    }
  });

  it("is cut into messages no longer than the broker carries, with every hint in one of them", () => {
    const hints: Hint[] = Array.from({ length: 500 }, (_, index) => ({ kind: "ended", chainId: `chain-${index}` }));
    for (const limit of [60, 61, 62, 63, 64, 100, 7_999]) {
      const texts = hintTexts("me", hints, limit);
      expect(Math.max(...texts.map((text) => text.length))).toBeLessThanOrEqual(limit);
      expect(texts.flatMap((text) => read(text))).toEqual(hints);
    }
  });

  it("leaves out a hint that fits in no message", () => {
    const hints: Hint[] = [
      { kind: "ended", chainId: "short" },
      { kind: "ended", chainId: "x".repeat(100) },
      { kind: "ended", chainId: "also" },
    ];
    expect(hintTexts("me", hints, 60).flatMap((text) => read(text))).toEqual([hints[0], hints[2]]);
  });

  it("of a ping names its sender and holds nothing", () => {
    expect(readMessage(pingText("me"))?.sender).toBe("me");
    expect(read(pingText("me"))).toEqual([]);
  });

  it.each(["", " ", "hello", "cw1", "cw1 ", "cw1  []", 'cw2 me ["ex"]', "CW1 me []", '{"r":1}', "\u0000"])(
    "is not taken from %j",
    (junk) => {
      expect(readMessage(junk)).toBeUndefined();
    },
  );

  it.each([
    "",
    "nonsense",
    "{}",
    "null",
    "[",
    '[1, null, {}, [], "", "x", "r", "rx a", "r0 a", "r-1 a", "r1.a a", "r1", "r1e99 a"]',
  ])("holds no hints where it says %j", (body) => {
    expect(read(`cw1 me ${body}`)).toEqual([]);
  });

  it("leaves out words of kinds to come", () => {
    expect(read('cw1 me ["znew","eold"]')).toEqual([{ kind: "ended", chainId: "old" }]);
  });
});
