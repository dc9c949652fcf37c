import { beforeEach, describe, expect, it } from "vitest";
import { coalesce } from "../../src/timing/coalesce.ts";
import { createVirtualClock, type VirtualClock } from "../../src/testing/virtual-clock.ts";

let clock: VirtualClock;
let batches: (readonly number[])[];
let gates: PromiseWithResolvers<void>[];

beforeEach(() => {
  clock = createVirtualClock();
  batches = [];
  gates = [];
});

/** Doubles numbers, each batch when its gate opens. */
async function send(items: readonly number[]): Promise<readonly number[]> {
  const gate = Promise.withResolvers<void>();
  batches.push(items);
  gates.push(gate);
  await gate.promise;
  return items.map((item) => item * 2);
}

describe("calls made at the same time", () => {
  it("share one batch, and those that come meanwhile share the next", async () => {
    const double = coalesce(send, { clock, maxItems: 10 });
    const first = [double(1), double(2)];
    await clock.advance(0);
    const second = [double(3), double(4)];
    await clock.advance(0);
    expect(batches).toEqual([[1, 2]]);
    gates[0]?.resolve();
    expect(await Promise.all(first)).toEqual([2, 4]);
    await clock.advance(0);
    expect(batches).toEqual([
      [1, 2],
      [3, 4],
    ]);
    gates[1]?.resolve();
    expect(await Promise.all(second)).toEqual([6, 8]);
    expect(clock.timers).toBe(0);
  });

  it("overtake a batch that takes longer than a second, one batch at a time", async () => {
    const double = coalesce(send, { clock, maxItems: 10 });
    const stuck = double(1);
    await clock.advance(0);
    const second = double(2);
    await clock.advance(999);
    expect(batches).toEqual([[1]]);
    await clock.advance(1);
    expect(batches).toEqual([[1], [2]]);
    const third = double(3);
    await clock.advance(500);
    expect(batches).toHaveLength(2);
    gates[1]?.resolve();
    expect(await second).toBe(4);
    await clock.advance(0);
    expect(batches).toEqual([[1], [2], [3]]);
    // The batch that was overtaken is the last one of its loop, and its callers still get their results.
    gates[0]?.resolve();
    expect(await stuck).toBe(2);
    const fourth = double(4);
    await clock.advance(0);
    expect(batches).toHaveLength(3);
    gates[2]?.resolve();
    expect(await third).toBe(6);
    await clock.advance(0);
    gates[3]?.resolve();
    expect(await fourth).toBe(8);
    expect(clock.timers).toBe(0);
  });

  it("overtake a slow batch also if they were too many for one batch", async () => {
    const double = coalesce(send, { clock, maxItems: 2 });
    const calls = [double(1), double(2), double(3)];
    await clock.advance(1_000);
    expect(batches).toEqual([[1, 2], [3]]);
    for (const gate of gates) gate.resolve();
    expect(await Promise.all(calls)).toEqual([2, 4, 6]);
  });

  it("are split by weight, and each batch has at least one", async () => {
    const double = coalesce(send, { clock, maxItems: 100, weigh: (item) => item, maxWeight: 5 });
    const calls = [9, 1, 2, 3, 4].map((item) => double(item));
    for (let batch = 0; batch < 3; batch += 1) {
      await clock.advance(0);
      gates[batch]?.resolve();
    }
    await Promise.all(calls);
    expect(batches).toEqual([[9], [1, 2, 3], [4]]);
  });

  it("all reject when their batch fails, and the next batch goes out", async () => {
    const double = coalesce(send, { clock, maxItems: 10 });
    const failed = Promise.allSettled([double(1), double(2)]);
    await clock.advance(0);
    const next = double(3);
    gates[0]?.reject(new Error("no"));
    expect((await failed).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await clock.advance(0);
    gates[1]?.resolve();
    expect(await next).toBe(6);
  });
});
