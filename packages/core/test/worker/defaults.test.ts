import { describe, expect, it } from "vitest";
import { createErasedClient } from "../../src/client/erased-client.ts";
import { createInProcessNotifyAdapter } from "../../src/in-process/notify-adapter.ts";
import { createInProcessStateAdapter } from "../../src/in-process/state-adapter.ts";
import { ChainwrightError } from "../../src/model/error.ts";
import { checkWorkerOptions } from "../../src/worker/worker-options.ts";
import { createRig } from "../rig.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

describe("by default", () => {
  it("an attempt may take an hour", async () => {
    const signals: AbortSignal[] = [];
    const { clock, createWorker, start, job } = createRig({
      processors: {
        a: (context) => {
          signals.push((context as { readonly signal: AbortSignal }).signal);
          return new Promise(() => undefined);
        },
      },
    });
    const id = await start("a");
    const worker = createWorker();
    await worker.start();
    await clock.advance(hourMs - 1_000);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    expect(await job(id)).toMatchObject({ status: "running", attempt: 1 });
    await clock.advance(1_500);
    expect(signals[0]?.reason).toMatchObject({ code: "timeout" });
    await worker.stop({ timeoutMs: 0 });
  });

  it("25 attempts come from a second to an hour apart, each twice as long after the one before, by a fifth at random", async () => {
    const at: number[] = [];
    const { clock, createWorker, start, job } = createRig({
      worker: { pollIntervalMs: 60_000 },
      processors: {
        a: () => {
          at.push(clock.now());
          throw new Error("again");
        },
      },
    });
    const id = await start("a");
    const worker = createWorker();
    await worker.start();
    await clock.advance(2 * dayMs);
    expect(await job(id)).toMatchObject({ status: "failed", attempt: 25 });
    const delays = at.slice(1).map((time, index) => time - (at[index] ?? 0));
    expect(delays).toHaveLength(24);
    for (const [index, delay] of delays.entries()) {
      const full = Math.min(1_000 * 2 ** index, hourMs);
      expect(delay).toBeGreaterThanOrEqual(full * 0.8 - 1);
      expect(delay).toBeLessThanOrEqual(full * 1.2 + 1);
    }
    await worker.stop();
  });

  it("completed and cancelled chains are kept for 14 days, failed ones forever", async () => {
    const { clock, client, createWorker, start } = createRig({
      worker: { pollIntervalMs: 60_000, leaseMs: dayMs },
      processors: { a: () => 1, b: { handler: () => Promise.reject(new Error("no")), retry: { maxAttempts: 1 } } },
    });
    const cancelled = await start("c");
    await client.cancelChain({ id: cancelled });
    const ids = [await start("a"), cancelled, await start("b")];
    const left = async () => {
      const found = await Promise.all(ids.map((id) => client.getChain({ id })));
      return found.map((chain) => chain?.["status"]);
    };
    const workFor = async (ms: number) => {
      const worker = createWorker();
      await worker.start();
      await clock.advance(ms);
      await worker.stop();
    };
    await workFor(1_000);
    await clock.advance(14 * dayMs - hourMs);
    await workFor(300_000);
    expect(await left()).toEqual(["completed", "cancelled", "failed"]);
    await clock.advance(hourMs);
    await workFor(300_000);
    expect(await left()).toEqual([undefined, undefined, "failed"]);
    await clock.advance(1_000 * dayMs);
    await workFor(300_000);
    expect(await left()).toEqual([undefined, undefined, "failed"]);
  });

  it("a worker has ten slots, leases of 30 s, and polls every second, or every 30 s with a notify adapter", () => {
    const alone = checkWorkerOptions({}, { hasNotifyAdapter: false, fewestAttempts: 25 });
    const woken = checkWorkerOptions({}, { hasNotifyAdapter: true, fewestAttempts: 25 });
    expect(alone).toMatchObject({ concurrency: 10, leaseMs: 30_000, pollIntervalMs: 1_000, prefetch: 200 });
    expect(woken).toMatchObject({ pollIntervalMs: 30_000 });
  });

  it("nothing is claimed ahead for a type with few attempts, of which dying processes would use up too many", () => {
    const careful = checkWorkerOptions({}, { hasNotifyAdapter: true, fewestAttempts: 4 });
    expect(careful.prefetch).toBe(0);
    expect(checkWorkerOptions({}, { hasNotifyAdapter: true, fewestAttempts: 5 }).prefetch).toBe(200);
  });
});

it("a wait for a chain ends after a minute with advice, and later only with another limit; a virtual clock has no default", async () => {
  const { client, clock, start } = createRig({ clock: (virtual) => ({ ...virtual, virtual: false }) });
  const id = await start("a");
  const messages: string[] = [];
  const note = (error: Error): void => void messages.push(error.message);
  void client.awaitChain({ id }).catch(note);
  void client.awaitChain({ id }, { timeoutMs: 120_000 }).catch(note);
  const endless = client.awaitChain({ id }, { timeoutMs: Infinity });
  await clock.advance(59_000);
  expect(messages).toEqual([]);
  await clock.advance(2_000);
  expect(messages).toEqual([
    expect.stringMatching(/has not ended within 60000 ms; .* Pass timeoutMs to wait longer, or Infinity/u),
  ]);
  await clock.advance(60_000);
  expect(messages).toHaveLength(2);
  expect(messages[1]).not.toContain("Pass timeoutMs");
  await client.completeChain({ id, typeName: "a", output: 1 });
  await clock.advance(1_000);
  expect(await endless).toMatchObject({ output: 1 });

  const virtual = createRig();
  const later = await virtual.start("a");
  const wait = virtual.client.awaitChain({ id: later });
  await virtual.clock.advance(dayMs);
  await virtual.client.completeChain({ id: later, typeName: "a", output: 2 });
  await virtual.clock.advance(1_000);
  expect(await wait).toMatchObject({ output: 2 });
});

it("the limit of a payload is the option of the client", async () => {
  const { client } = createErasedClient({
    stateAdapter: createInProcessStateAdapter(),
    notifyAdapter: createInProcessNotifyAdapter(),
    jobTypes: { definitions: undefined },
    maxPayloadBytes: 10,
  });
  await expect(client.startChain({ typeName: "a", input: "x".repeat(8) })).resolves.toMatchObject({ typeName: "a" });
  await expect(client.startChain({ typeName: "a", input: "x".repeat(9) })).rejects.toMatchObject({
    code: "payload-too-large",
  });
  await client.close();
});

it("a worker waits longer after each failed exchange, at most five seconds, and starts again with a short wait after a success", async () => {
  let away = true;
  const looks: number[] = [];
  const rig = createRig({
    processors: { a: () => 1 },
    worker: { pollIntervalMs: 1_000 },
    between: (store) => ({
      exchange: async (request, options) => {
        looks.push(rig.clock.now());
        if (away) throw new ChainwrightError("store-unavailable", "away");
        return await store.exchange(request, options);
      },
    }),
  });
  const pauses = () => looks.slice(1).map((time, index) => time - (looks[index] ?? 0));
  const worker = rig.createWorker();
  await worker.start();
  await rig.clock.advance(60_000);
  const first = pauses();
  expect(first[0]).toBeLessThanOrEqual(150);
  expect(Math.max(...first)).toBeGreaterThan(2_500);
  expect(Math.max(...first)).toBeLessThanOrEqual(7_500);
  away = false;
  await rig.clock.advance(10_000);
  expect(worker.health().status).toBe("running");
  away = true;
  looks.length = 0;
  await rig.clock.advance(1_500);
  expect(worker.health().status).toBe("store-lost");
  expect(Math.min(...pauses())).toBeLessThanOrEqual(150);
  await worker.stop({ timeoutMs: 0 });
});
