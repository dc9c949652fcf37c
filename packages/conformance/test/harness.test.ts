import { describe, expect, it } from "vitest";
import { casesOf } from "../src/case.ts";
import { ConformanceFailure, equal, match, only, rejectsWith, sameMembers } from "../src/check.ts";
import { stateConformance } from "../src/index.ts";
import { ChainwrightError } from "chainwright";

describe("checks", () => {
  it("contain the rule, the expected value and the actual value as JavaScript", () => {
    const check = () => equal("the result is right", { answer: 41 }, { answer: 42 });
    expect(check).toThrow(ConformanceFailure);
    expect(check).toThrow(
      "the result is right\n  expected: { answer: 42 }\n  actual:   { answer: 41 }\n  first difference: actual.answer",
    );
  });

  it("hold values equal all the way down", () => {
    equal<unknown>("equal", { a: [1, { b: undefined }], c: null }, { a: [1, {}], c: null });
    for (const [left, right] of [
      [{ a: 1 }, { a: 1, b: 2 }],
      [{ a: 1, b: 2 }, { a: 1 }],
      [null, undefined],
      [[1, 2], [1]],
      [[], {}],
      [1, "1"],
      [0, -0],
    ] satisfies readonly (readonly [unknown, unknown])[]) {
      expect(() => equal<unknown>("differ", left, right)).toThrow(ConformanceFailure);
    }
  });

  it("match only the properties that are named", () => {
    match("part", { a: 1, b: { c: 2 } }, { b: { c: 2 } });
    expect(() => match("part", { a: 1, b: 2 }, { b: 3 })).toThrow(ConformanceFailure);
    expect(() => match("part", undefined, {})).toThrow(ConformanceFailure);
  });

  it("compare members without their order, but with their number", () => {
    sameMembers("members", ["b", "a"], ["a", "b"]);
    expect(() => sameMembers("members", ["a", "a"], ["a"])).toThrow(ConformanceFailure);
  });

  it("take one item for one item", () => {
    expect(only("one", ["a"])).toBe("a");
    expect(() => only("one", [])).toThrow(ConformanceFailure);
    expect(() => only("one", ["a", "b"])).toThrow(ConformanceFailure);
  });

  it("want the code of a rejection to be right", async () => {
    const closed = new ChainwrightError("closed", "closed");
    expect(await rejectsWith("closed", Promise.reject(closed), "closed")).toBe(closed);
    await expect(rejectsWith("closed", Promise.resolve(1), "closed")).rejects.toThrow(ConformanceFailure);
    await expect(rejectsWith("closed", Promise.reject(closed), "not-migrated")).rejects.toThrow(ConformanceFailure);
    await expect(rejectsWith("closed", Promise.reject(new Error("closed")), "closed")).rejects.toThrow(
      ConformanceFailure,
    );
  });
});

describe("cases", () => {
  const group = { subject: "area", needs: "table", rules: { "keeps a rule": () => Promise.resolve() } } as const;

  it("are named after their area and rule", () => {
    const [found] = casesOf([group], { asked: undefined, without: {}, within: (rule) => rule(undefined) });
    expect(found).toMatchObject({ name: "area: keeps a rule", skipped: undefined });
  });

  it("stay listed when the backend lacks what they need, with the reason, and do not pass by being run", async () => {
    const [found] = casesOf([group], {
      asked: undefined,
      without: { table: "no tables here" },
      within: (rule) => rule(undefined),
    });
    expect(found?.skipped).toBe("no tables here");
    await expect(found?.run()).rejects.toThrow("no tables here");
  });

  it("of the state port have names of their own", () => {
    const cases = stateConformance({ createAdapter: () => Promise.reject(new Error("not opened")) });
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
  });

  it("open the store when they run, not when they are listed", async () => {
    let opened = 0;
    const cases = stateConformance({
      createAdapter: () => {
        opened += 1;
        return Promise.reject(new Error("opened"));
      },
    });
    expect(opened).toBe(0);
    await expect(cases[0]?.run()).rejects.toThrow("opened");
    expect(opened).toBe(1);
  });
});
