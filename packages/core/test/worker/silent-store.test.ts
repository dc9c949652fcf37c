import { describe, expect, it } from "vitest";
import type { ExchangeReply } from "../../src/ports/exchange.ts";
import type { StateAdapter } from "../../src/ports/state.ts";
import { createRig, silence } from "../rig.ts";

/** Lets the first calls of a method go unanswered. */
function silentAt<Name extends "exchange" | "renew" | "heartbeat" | "maintain">(
  name: Name,
  isSilent: (call: number, args: Parameters<StateAdapter[Name]>) => boolean,
) {
  let calls = 0;
  const between = (store: StateAdapter): Partial<StateAdapter> => ({
    [name]: (...args: Parameters<StateAdapter[Name]>) => {
      calls += 1;
      return isSilent(calls, args) ? silence() : (Reflect.apply(store[name], store, args) as Promise<unknown>);
    },
  });
  return { between, calls: () => calls };
}

describe("a worker whose store does not respond", () => {
  it("gives an exchange up after half a minute, reports that the store is lost, and continues", async () => {
    const { between } = silentAt("exchange", (call) => call === 1);
    const rig = createRig({ between, processors: { a: () => 1 } });
    const id = await rig.start("a");
    const worker = rig.createWorker();
    await worker.start();
    await rig.clock.advance(29_000);
    expect(worker.health().status).toBe("running");
    await rig.clock.advance(1_001);
    expect(worker.health().status).toBe("store-lost");
    await rig.clock.advance(10_000);
    expect(worker.health().status).toBe("running");
    expect((await rig.job(id))?.status).toBe("completed");
    expect(rig.events.all.map(({ type }) => type)).toContain("store-restored");
    await worker.stop();
  });

  it("keeps the outcomes that it has to hand in", async () => {
    const { between } = silentAt("exchange", (_, [{ outcomes }]) => outcomes.length > 0 && silent.shift() === true);
    const silent = [true];
    let runs = 0;
    const rig = createRig({ between, processors: { a: () => (runs += 1) }, worker: { leaseMs: 120_000 } });
    const id = await rig.start("a");
    const worker = rig.createWorker();
    await worker.start();
    await rig.clock.advance(60_000);
    expect((await rig.job(id))?.status).toBe("completed");
    expect(runs).toBe(1);
    await worker.stop();
  });

  it("gives back the jobs of a late reply, with their attempts not counted", async () => {
    const late = Promise.withResolvers<ExchangeReply>();
    let held: Promise<ExchangeReply> | undefined;
    const attempts: unknown[] = [];
    const rig = createRig({
      between: (store) => ({
        exchange: (request, options) => {
          const reply = store.exchange(request, options);
          if (held !== undefined) return reply;
          held = reply;
          return late.promise;
        },
      }),
      processors: { a: (context) => attempts.push(Reflect.get(Reflect.get(context, "job") as object, "attempt")) },
      worker: { leaseMs: 3_600_000 },
    });
    const id = await rig.start("a");
    const worker = rig.createWorker();
    await worker.start();
    await rig.clock.advance(40_000);
    expect((await rig.job(id))?.status).toBe("running");
    if (held !== undefined) late.resolve(await held);
    await rig.clock.advance(1_000);
    expect(attempts).toEqual([1]);
    await worker.stop();
  });

  it("leaves no more than three calls hanging", async () => {
    const { between, calls } = silentAt("exchange", () => true);
    const rig = createRig({ between, processors: { a: () => 1 } });
    const worker = rig.createWorker();
    await worker.start();
    await rig.clock.advance(600_000);
    expect(calls()).toBe(3);
    expect(worker.health().status).toBe("store-lost");
    const stopped = worker.stop({ timeoutMs: 0 });
    await rig.clock.advance(10_000);
    await stopped;
  });

  it("renews again after a renewal without a reply", async () => {
    const { between } = silentAt("renew", (call) => call === 1);
    const rig = createRig({
      between,
      processors: { a: () => new Promise((resolve) => void rig.clock.setTimer(() => resolve(1), 20_000)) },
      worker: { leaseMs: 3_000 },
    });
    const id = await rig.start("a");
    const worker = rig.createWorker();
    await worker.start();
    // The first attempt loses its lease with the renewal; the second one must not.
    await rig.clock.advance(30_000);
    expect(await rig.job(id)).toMatchObject({ status: "completed", attempt: 2 });
    await worker.stop();
  });

  it("reports an outcome that is held up although the store does not return who holds the locks", async () => {
    const rig = createRig({
      between: (store) => ({
        lockHolders: () => silence(),
        exchange: async (request, options) => ({
          ...(await store.exchange({ ...request, outcomes: [] }, options)),
          settled: request.outcomes.map(() => ({ status: "busy" })),
        }),
        settle: async (outcomes) => outcomes.map(() => ({ status: "busy" })),
      }),
      processors: { a: () => 1 },
      worker: { leaseMs: 600_000 },
    });
    const jobId = await rig.start("a");
    const worker = rig.createWorker();
    await worker.start();
    await rig.clock.advance(20_000);
    expect(rig.events.all).toContainEqual(expect.objectContaining({ type: "outcome-held-up", jobId, holders: [] }));
    const stopped = worker.stop({ timeoutMs: 0 });
    await rig.clock.advance(10_000);
    await stopped;
  });

  it("sends heartbeats although an earlier one got no reply", async () => {
    const { between } = silentAt("heartbeat", (call) => call === 1);
    const rig = createRig({ between, processors: { a: () => 1 }, worker: { pollIntervalMs: 1_000 } });
    const worker = rig.createWorker();
    await worker.start();
    await rig.clock.advance(45_000);
    expect(await rig.client.listWorkers()).toHaveLength(1);
    await worker.stop();
  });
});
