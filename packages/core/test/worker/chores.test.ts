import { describe, expect, it } from "vitest";
import type { Chore } from "../../src/model/chore.ts";
import type { ChainwrightEvent } from "../../src/model/event.ts";
import type { HeartbeatReply } from "../../src/ports/heartbeat.ts";
import type { MaintainReply, MaintainRequest } from "../../src/ports/maintain.ts";
import type { StateAdapter } from "../../src/ports/state.ts";
import { createRig, silence } from "../rig.ts";

const [minute, hour] = [60_000, 3_600_000];
const nothing: MaintainReply = { removed: 0, more: false };
const more: MaintainReply = { removed: 0, more: true };

/** A rig whose store makes passes as a test says, on a worker that has nothing else to do. */
function rigWith(
  pass: (request: MaintainRequest) => Promise<MaintainReply>,
  others: Partial<StateAdapter> = {},
  pollIntervalMs = 30_000,
) {
  const made: MaintainRequest[] = [];
  const rig = createRig({
    between: () => ({
      maintain: (request) => {
        made.push(request);
        return pass(request);
      },
      ...others,
    }),
    processors: { a: () => 1 },
    worker: { pollIntervalMs, retention: { completedMs: 1_000, failedMs: 2_000 } },
  });
  const of = (chore: Chore) => made.filter((request) => request.chore === chore);
  return { ...rig, made, of };
}

const upkeepEvents = (all: readonly ChainwrightEvent[]) =>
  all.flatMap((event) => {
    if (event.type === "upkeep-failed") return [`${event.chore} failed: ${event.error.message}`];
    return event.type === "upkeep-restored" ? [`${event.chore} restored`] : [];
  });

describe("the upkeep of a worker", () => {
  it("makes a pass of each chore about once a minute, with the worker's retention", async () => {
    const { createWorker, clock, made, of } = rigWith(async () => nothing);
    const worker = createWorker();
    await worker.start();
    await clock.advance(10 * minute);
    expect(new Set(made.map(({ chore }) => chore))).toEqual(new Set(["retention", "windows", "workers", "tally"]));
    expect(of("retention").length).toBeGreaterThanOrEqual(6);
    expect(of("retention").length).toBeLessThanOrEqual(20);
    expect(made[0]).toMatchObject({ completedMs: 1_000, failedMs: 2_000, limit: 1_000 });
    await worker.stop();
    expect(clock.timers).toBe(0);
  });

  it("reports once that a chore fails and once that it works again, and shows the failure in the worker's health", async () => {
    let broken = true;
    const { createWorker, clock, events, of } = rigWith(async ({ chore }) => {
      if (broken && chore === "tally") throw new Error("no replica identity");
      return nothing;
    });
    const worker = createWorker();
    await worker.start();
    const began = clock.now();
    await clock.advance(20 * minute);
    expect(upkeepEvents(events.all)).toEqual(["tally failed: no replica identity"]);
    const [failure, ...others] = worker.health().upkeepFailures;
    expect(failure).toMatchObject({ chore: "tally", error: { name: "Error", message: "no replica identity" } });
    expect(failure?.since.getTime()).toBeLessThan(began + 2 * minute);
    expect(others).toEqual([]);
    expect(worker.health().status).toBe("running");
    expect(of("retention").length).toBe(of("tally").length);
    broken = false;
    await clock.advance(2 * minute);
    expect(upkeepEvents(events.all)).toEqual(["tally failed: no replica identity", "tally restored"]);
    expect(worker.health().upkeepFailures).toEqual([]);
    await worker.stop();
  });

  it("reports a failing chore again after an hour, and at once if it fails with another error", async () => {
    let error = new Error("first");
    const { createWorker, clock, events } = rigWith(async ({ chore }) => {
      if (chore === "windows") throw error;
      return nothing;
    });
    const worker = createWorker();
    await worker.start();
    await clock.advance(50 * minute);
    expect(upkeepEvents(events.all)).toHaveLength(1);
    await clock.advance(hour);
    expect(upkeepEvents(events.all)).toHaveLength(2);
    error = new TypeError("second");
    await clock.advance(2 * minute);
    expect(upkeepEvents(events.all)).toEqual([
      "windows failed: first",
      "windows failed: first",
      "windows failed: second",
    ]);
    await worker.stop();
  });

  it("reports heartbeats that fail", async () => {
    const heartbeat = async (): Promise<HeartbeatReply> => {
      throw new Error("permission denied");
    };
    const { createWorker, clock, events } = rigWith(async () => nothing, { heartbeat });
    const worker = createWorker();
    await worker.start();
    await clock.advance(5 * minute);
    expect(upkeepEvents(events.all)).toEqual(["heartbeat failed: permission denied"]);
    expect(worker.health().upkeepFailures).toMatchObject([{ chore: "heartbeat" }]);
    await worker.stop();
  });

  it("makes the other chores although the store never responds to one of them", async () => {
    const { createWorker, clock, of, events } = rigWith(({ chore }) =>
      chore === "retention" ? silence() : Promise.resolve(nothing),
    );
    const worker = createWorker();
    await worker.start();
    await clock.advance(20 * minute);
    expect(of("tally").length).toBeGreaterThan(8);
    // It may hold a connection: no second one is made.
    expect(of("retention")).toHaveLength(1);
    expect(upkeepEvents(events.all)).toHaveLength(1);
    const stopped = worker.stop({ timeoutMs: 0 });
    await clock.advance(minute);
    await stopped;
    expect(clock.timers).toBe(0);
  });

  it("continues while there is more to do, for at most half of the time, also on an idle worker", async () => {
    let left = 500;
    const rig: ReturnType<typeof rigWith> = rigWith(async ({ chore }) => {
      if (chore !== "retention") return nothing;
      await new Promise<void>((resolve) => rig.clock.setTimer(resolve, 20));
      left -= 1;
      return left > 0 ? more : nothing;
    });
    const worker = rig.createWorker();
    await worker.start();
    while (rig.of("retention").length === 0) await rig.clock.advance(10);
    await rig.clock.advance(10_000);
    expect(left).toBeGreaterThanOrEqual(500 - 10_000 / 40 - 2);
    expect(left).toBeLessThanOrEqual(500 - 10_000 / 40 + 2);
    // The other chores had their turn in between.
    await rig.clock.advance(10_000);
    expect(left).toBe(0);
    await worker.stop();
  });

  it("comes sooner after a round that needed more than one pass", async () => {
    let passes = 0;
    const { createWorker, clock, made } = rigWith(async ({ chore }) => {
      if (chore !== "tally") return nothing;
      passes += 1;
      return passes % 2 === 1 ? more : nothing;
    });
    const worker = createWorker();
    await worker.start();
    await clock.advance(10 * minute);
    // Two passes a round, and a round every ten seconds instead of every minute.
    expect(passes).toBeGreaterThan(2 * 30);
    expect(made.length).toBeLessThan(5 * 120);
    await worker.stop();
  });

  it("does less in the pass after a failed one, and more again after a success", async () => {
    const limits: number[] = [];
    const { createWorker, clock } = rigWith(async ({ chore, limit }) => {
      if (chore !== "retention") return nothing;
      limits.push(limit);
      if (limit > 100) throw new Error("canceling statement due to statement timeout");
      return nothing;
    });
    const worker = createWorker();
    await worker.start();
    await clock.advance(10 * minute);
    expect(limits.slice(0, 5)).toEqual([1_000, 250, 62, 124, 31]);
    await worker.stop();
  });

  it("sends heartbeats and makes maintenance although the store never responds to exchanges", async () => {
    let heartbeats = 0;
    const { createWorker, clock, of } = rigWith(async () => nothing, {
      exchange: () => silence(),
      heartbeat: async () => {
        heartbeats += 1;
        return { paused: [] };
      },
    });
    const worker = createWorker();
    await worker.start();
    await clock.advance(5 * minute);
    expect(heartbeats).toBeGreaterThanOrEqual(9);
    expect(of("retention").length).toBeGreaterThanOrEqual(3);
    const stopped = worker.stop({ timeoutMs: 0 });
    await clock.advance(minute);
    await stopped;
    expect(clock.timers).toBe(0);
  });

  it("ends with its worker although there is more to do", async () => {
    const rig: ReturnType<typeof rigWith> = rigWith(async () => {
      await new Promise<void>((resolve) => rig.clock.setTimer(resolve, 20));
      return more;
    });
    const { createWorker, clock, made } = rig;
    const worker = createWorker();
    await worker.start();
    await clock.advance(2 * minute);
    expect(made.length).toBeGreaterThan(0);
    const stopped = worker.stop();
    await clock.advance(100);
    await stopped;
    const { length } = made;
    await clock.advance(10 * minute);
    expect(made).toHaveLength(length);
    expect(clock.timers).toBe(0);
  });

  it("ends with its worker although the store never responds", async () => {
    const alive: number[] = [];
    const others: Partial<StateAdapter> = {
      exchange: () => silence(),
      heartbeat: async ({ aliveForMs }) => {
        alive.push(aliveForMs);
        return { paused: [] };
      },
    };
    const { createWorker, clock } = rigWith(async () => nothing, others, 1_000);
    const worker = createWorker();
    await worker.start();
    await clock.advance(1_000);
    const stopped = worker.stop({ timeoutMs: 0 });
    await clock.advance(4_000);
    await stopped;
    await clock.advance(24_000);
    expect(alive).toEqual([30_000, 0]);
    await clock.advance(minute);
    expect(clock.timers).toBe(0);
  });
});
