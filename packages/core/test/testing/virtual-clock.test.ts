import { setTimeout as delay } from "node:timers/promises";
import { afterEach, expect, it, vi } from "vitest";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { createRig, silence } from "../rig.ts";

const weekMs = 7 * 24 * 3_600_000;
afterEach(() => vi.useRealTimers());

/** A rig whose exchanges take real time, as those with a server. */
function createSlowRig() {
  return createRig({
    processors: { a: async () => "done" },
    worker: { pollIntervalMs: 60_000 },
    between: (store) => ({
      takesRealTime: true,
      exchange: async (...parameters) => {
        await delay(20);
        return store.exchange(...parameters);
      },
    }),
  });
}

it("time stands still while a call to the store is under way, so that no limit of a call runs out", async () => {
  const { clock, client, createWorker, events } = createSlowRig();
  const worker = createWorker();
  await worker.start();
  const id = String((await client.startChain({ typeName: "a", input: null, schedule: { afterMs: 600_000 } }))["id"]);
  await clock.advance(600_000);
  expect(await client.getChain({ id })).toMatchObject({ status: "completed", output: "done" });
  expect(events.all.map(({ type }) => type)).not.toContain("store-lost");
  await worker.stop();
});

it("a jump passes a week with a few looks for work, and runs what is due after it", async () => {
  const exchanges = vi.fn<() => void>();
  const { clock, client, createWorker } = createRig({
    processors: { a: async () => "done" },
    between: (store) => ({
      exchange: (...parameters) => {
        exchanges();
        return store.exchange(...parameters);
      },
    }),
  });
  const worker = createWorker();
  await worker.start();
  const id = String((await client.startChain({ typeName: "a", input: null, schedule: { afterMs: weekMs } }))["id"]);
  const startedAt = clock.now();
  await clock.jump(weekMs - 1);
  expect(await client.getChain({ id })).toMatchObject({ status: "active" });
  await clock.jump(1);
  expect(clock.now() - startedAt).toBe(weekMs);
  expect(await client.getChain({ id })).toMatchObject({ status: "completed" });
  expect(exchanges.mock.calls.length).toBeLessThan(10);
  await worker.stop();
});

it("a call that hangs does not hold the time for ever", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const clock = createVirtualClock();
  const before = clock.now();
  clock.holdDuring?.(silence());
  const advanced = clock.advance(1_000);
  await vi.advanceTimersByTimeAsync(9_999);
  expect(clock.now()).toBe(before);
  await vi.advanceTimersByTimeAsync(1);
  await advanced;
  expect(clock.now()).toBe(before + 1_000);
});
