import { describe, expect, it } from "vitest";
import type { CountedAttempts } from "../../src/ports/history.ts";
import type { StateAdapter } from "../../src/ports/state.ts";
import { createRig } from "../rig.ts";

/** A rig whose heartbeats are seen, and fail as a test says. */
function rigWith(fails: () => boolean = () => false) {
  const reports: (readonly CountedAttempts[] | undefined)[] = [];
  const rig = createRig({
    between: (state: StateAdapter) => ({
      heartbeat: async (said, options) => {
        if (fails()) throw new Error("the store is away");
        reports.push(said.counted);
        return await state.heartbeat(said, options);
      },
    }),
    processors: { a: () => 1 },
    worker: { pollIntervalMs: 10_000 },
  });
  const completed = () =>
    reports
      .flatMap((counted) => counted ?? [])
      .reduce((sum, each) => sum + (each.typeName === "a" ? each.completed : 0), 0);
  return { ...rig, reports, completed };
}

describe("what a worker counts", () => {
  it("goes to the store with heartbeats only, and an idle worker's heartbeat has no counts", async () => {
    const { createWorker, clock, client, reports, completed } = rigWith();
    const worker = createWorker();
    await worker.start();
    await clock.advance(25_000);
    expect(reports).toEqual([undefined, undefined, undefined]);
    for (let at = 0; at < 50; at += 1) await client.startChain({ typeName: "a", input: null });
    await clock.advance(4_000);
    expect(reports.length).toBe(3);
    await clock.advance(2_000);
    expect(reports.length).toBe(4);
    expect(completed()).toBe(50);
    await worker.stop();
    expect(completed()).toBe(50);
  });

  it("is kept for the next heartbeat when one fails, and a worker that leaves hands in the rest", async () => {
    let isAway = false;
    const { createWorker, clock, client, completed } = rigWith(() => isAway);
    const worker = createWorker();
    await worker.start();
    await clock.advance(1_000);
    isAway = true;
    await client.startChain({ typeName: "a", input: null });
    await clock.advance(20_000);
    expect(completed()).toBe(0);
    isAway = false;
    await clock.advance(10_000);
    expect(completed()).toBe(1);
    await client.startChain({ typeName: "a", input: null });
    await clock.advance(1);
    await worker.stop();
    expect(completed()).toBe(2);
    const { points } = await client.jobHistory({ typeName: "a" });
    expect(points.reduce((sum, point) => sum + point.completed, 0)).toBe(2);
  });

  it("has a bounded number of types, and counts the others in the total", async () => {
    const { createAttemptCounts } = await import("../../src/engine/attempt-counts.ts");
    const counts = createAttemptCounts();
    for (let at = 0; at < 500; at += 1) counts.ended(`type ${at}`, { outcome: undefined }, at);
    const taken = counts.take();
    expect(taken.length).toBe(101);
    expect(taken.find(({ typeName }) => typeName === "")?.completed).toBe(500);
    expect(counts.take()).toEqual([]);
  });
});
