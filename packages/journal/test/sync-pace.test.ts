import { expect, it } from "vitest";
import { createSyncPace } from "../src/sync-pace.ts";

/** Syncs that take as long as a disk needs for each. Returns those that held the event loop. */
function inThreadOf(times: readonly number[]): readonly number[] {
  const pace = createSyncPace();
  return times.filter((ms) => {
    const isInThread = pace.isFast();
    pace.note(ms, isInThread);
    return isInThread;
  });
}

const fast = (count: number) => Array.from({ length: count }, () => 0.2);
const slow = (count: number) => Array.from({ length: count }, () => 4);

it("makes syncs in the thread of the event loop once some were fast, and none on a slow disk", () => {
  expect(inThreadOf(fast(1_000)).length).toBeGreaterThan(950);
  expect(inThreadOf(slow(1_000))).toEqual([]);
  expect(createSyncPace().isFast()).toBe(false);
});

it("one long sync in the thread is followed by a hundred elsewhere", () => {
  const held = inThreadOf([...fast(50), ...slow(1), ...fast(100), ...fast(20)]);
  const before = inThreadOf([...fast(50), ...slow(1)]);
  expect(before.at(-1)).toBe(4);
  expect(held.length - before.length).toBe(20);
});

it("goes on in the thread after a long sync elsewhere, and leaves it when the disk stays slow", () => {
  expect(inThreadOf([...slow(1), ...fast(40)]).length).toBeGreaterThan(10);
  expect(inThreadOf([...fast(50), ...slow(1_000)]).filter((ms) => ms > 1)).toHaveLength(1);
});

it("at most one sync of a hundred holds the event loop for long, whatever the disk does", () => {
  // A disk that notices which syncs would hold the loop, and is slow only then.
  const pace = createSyncPace();
  let long = 0;
  for (let sync = 0; sync < 10_000; sync += 1) {
    const isInThread = pace.isFast();
    if (isInThread) long += 1;
    pace.note(isInThread ? 1_000 : 0.1, isInThread);
  }
  expect(long).toBeGreaterThan(50);
  expect(long).toBeLessThanOrEqual(100);
});
