import { describe, expect, it } from "vitest";
import type { StateAdapter } from "../../src/ports/state.ts";
import { createRig, silence } from "../rig.ts";

const leaseMs = 3_000;
const worker = { leaseMs, concurrency: 1, prefetch: 0, pollIntervalMs: 1_000 };

/** A store where everyone waits for an open transaction, and one is open for a while. */
function storeThatWaits(isOpen: () => Promise<void>, refusal?: () => Error | undefined) {
  return (store: StateAdapter): Partial<StateAdapter> => ({
    insideTransaction: () => false,
    isConflict: (error) => error === refusal?.(),
    async exchange(request, options) {
      await isOpen();
      return await store.exchange(request, options);
    },
    async renew(request, options) {
      const refused = refusal?.();
      if (refused !== undefined) throw refused;
      await isOpen();
      return await store.renew(request, options);
    },
  });
}

describe("in a store where all calls wait for an open transaction", () => {
  it("a worker drops no job while its renewal waits, and renews again before it treats a lease as expired", async () => {
    const ended = Promise.withResolvers<void>();
    let open = false;
    const rig = createRig({
      between: storeThatWaits(async () => (open ? ended.promise : undefined)),
      processors: { a: () => new Promise((resolve) => void rig.clock.setTimer(() => resolve(1), 6 * leaseMs)) },
      worker,
    });
    const id = await rig.start("a");
    const running = rig.createWorker();
    await running.start();
    await rig.clock.advance(100);
    open = true;
    await rig.clock.advance(4 * leaseMs);
    ended.resolve();
    open = false;
    await rig.clock.advance(4 * leaseMs);
    expect(rig.events.all.filter(({ type }) => type === "lease-lost")).toEqual([]);
    expect(await rig.job(id)).toMatchObject({ status: "completed", attempt: 1 });
    await running.stop();
  });

  it("a renewal that stopped waiting for a transaction drops no job, and is made again", async () => {
    const conflict = new Error("locked");
    let locked = false;
    const rig = createRig({
      between: storeThatWaits(
        async () => undefined,
        () => (locked ? conflict : undefined),
      ),
      processors: { a: () => new Promise((resolve) => void rig.clock.setTimer(() => resolve(1), 6 * leaseMs)) },
      worker,
    });
    const id = await rig.start("a");
    const running = rig.createWorker();
    await running.start();
    await rig.clock.advance(100);
    locked = true;
    await rig.clock.advance(4 * leaseMs);
    locked = false;
    await rig.clock.advance(4 * leaseMs);
    expect(rig.events.all.filter(({ type }) => type === "lease-lost")).toEqual([]);
    expect(await rig.job(id)).toMatchObject({ status: "completed", attempt: 1 });
    await running.stop();
  });
});

it("an attempt that is settling itself is not dropped when its lease was not renewed: the store decides", async () => {
  const rig = createRig({
    between: () => ({ renew: () => silence() }),
    processors: {
      a: (context) => {
        const { complete } = context as { complete(run: () => Promise<number>): Promise<unknown> };
        return complete(() => new Promise((resolve) => void rig.clock.setTimer(() => resolve(1), 3 * leaseMs)));
      },
    },
    worker,
  });
  const id = await rig.start("a");
  const running = rig.createWorker();
  await running.start();
  await rig.clock.advance(4 * leaseMs);
  expect(await rig.job(id)).toMatchObject({ status: "completed", attempt: 1 });
  await running.stop();
});

it("a lease that a transaction kept from being renewed runs out at its old time", async () => {
  let busy = true;
  let runs = 0;
  const rig = createRig({
    between: (store) => ({
      async renew(request, options) {
        if (!busy) return await store.renew(request, options);
        const { workerId, held } = request;
        return held.map(({ jobId, fence }) => ({ fence: { jobId, workerId, fence }, reason: "busy" }));
      },
    }),
    processors: {
      a: () => {
        runs += 1;
        busy = runs === 1;
        return new Promise((resolve) => void rig.clock.setTimer(() => resolve(runs), 2 * leaseMs));
      },
    },
    worker,
  });
  const id = await rig.start("a");
  const running = rig.createWorker();
  await running.start();
  await rig.clock.advance(leaseMs - 1);
  expect(rig.events.all.filter(({ type }) => type === "lease-lost")).toEqual([]);
  await rig.clock.advance(leaseMs / 3 + 1);
  expect(rig.events.all.filter(({ type }) => type === "lease-lost")).toHaveLength(1);
  await rig.clock.advance(4 * leaseMs);
  expect(await rig.job(id)).toMatchObject({ status: "completed", output: "2", attempt: 2 });
  await running.stop();
});
