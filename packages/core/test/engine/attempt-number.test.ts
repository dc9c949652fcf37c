import { expect, it } from "vitest";
import { attemptOf, attemptRounds, attemptsInRound, nextRound } from "../../src/model/attempt-number.ts";
import { createProcessor } from "../../src/worker/processor.ts";

it("a retry begins a round, unless the round has no attempts yet", () => {
  expect(nextRound(0)).toBe(0);
  expect(nextRound(1)).toBe(attemptsInRound);
  expect(nextRound(attemptsInRound)).toBe(attemptsInRound);
  expect(nextRound(attemptsInRound + 3)).toBe(2 * attemptsInRound);
});

it("attempts are counted from the beginning of their round", () => {
  expect([0, 1, attemptsInRound, attemptsInRound + 25].map((attempt) => attemptOf({ attempt }))).toEqual([0, 1, 0, 25]);
});

it("every number fits into 32 bits, however often a job is retried", () => {
  const last = (attemptRounds - 1) * attemptsInRound;
  expect(nextRound(last + 1)).toBe(0);
  expect(last + 2 * attemptsInRound).toBeLessThanOrEqual(2 ** 31);
});

it("the most attempts that a job may have fit into a round, and the one that finds them spent", () => {
  const most = 1_000_000;
  const of = (maxAttempts: number) => createProcessor("a", { handler: () => 1, retry: { maxAttempts } }, []);
  expect(of(most).retry.maxAttempts + 1).toBeLessThan(attemptsInRound);
  expect(() => of(most + 1)).toThrow("maxAttempts");
});
