import { describe, expect, it } from "vitest";
import type { NotifyAdapter } from "../../src/ports/notify.ts";
import { createRig } from "../rig.ts";

describe("a worker that stops", () => {
  it("begins no job of a claim that was under way, and gives these jobs back uncounted", async () => {
    const gate = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    let runs = 0;
    const rig = createRig({
      between: (store) => ({
        async exchange(request, options) {
          const reply = await store.exchange(request, options);
          if (reply.claimed.length === 0) return reply;
          asked.resolve();
          await gate.promise;
          return reply;
        },
      }),
      processors: { a: () => (runs += 1) },
    });
    const ids = await Promise.all([rig.start("a"), rig.start("a")]);
    const worker = rig.createWorker();
    await worker.start();
    await asked.promise;
    const stopped = worker.stop();
    gate.resolve();
    await stopped;
    expect(runs).toBe(0);
    for (const id of ids) expect(await rig.job(id)).toMatchObject({ status: "ready", attempt: 0 });
  });

  it("cannot be started again", async () => {
    const rig = createRig({ processors: { a: () => 1 } });
    const worker = rig.createWorker();
    await worker.start();
    await worker.stop();
    await expect(worker.start()).rejects.toMatchObject({ code: "closed" });
  });

  it.each([{ timeoutMs: -1 }, { timeoutMs: Number.NaN }, { timeout: 5 }])("refuses %o", async (options) => {
    const worker = createRig({ processors: { a: () => 1 } }).createWorker();
    await expect(worker.stop(options)).rejects.toMatchObject({ code: "invalid-input" });
    await worker.stop();
  });
});

describe("a worker that is stopped while it starts", () => {
  it("reports its start before its stop, and does not greet after it has announced that it leaves", async () => {
    const subscribed = Promise.withResolvers<{ close(): Promise<void> }>();
    const sent: string[] = [];
    const close = async (): Promise<void> => {};
    const notifyAdapter: NotifyAdapter = {
      portVersion: 1,
      publish: async ({ hints }) => void sent.push(...hints.map(({ kind }) => kind)),
      subscribe: () => subscribed.promise,
      close,
    };
    const rig = createRig({ notifyAdapter, processors: { a: () => 1 } });
    const worker = rig.createWorker();
    const started = worker.start();
    const stopped = worker.stop();
    subscribed.resolve({ close });
    await rig.clock.advance(100);
    await started;
    await stopped;
    await rig.clock.advance(10_000);
    expect(sent.slice(sent.lastIndexOf("left") + 1).filter((kind) => kind === "taken")).toEqual([]);
    const ofWorker = rig.events.all.map(({ type }) => type).filter((type) => type.startsWith("worker-"));
    expect(ofWorker).toEqual(["worker-started", "worker-stopping", "worker-stopped"]);
  });

  it("does not greet when its wake-ups come back while it stops", async () => {
    const held = Promise.withResolvers<void>();
    const greetings: string[] = [];
    let listening: Parameters<NotifyAdapter["subscribe"]>[0] | undefined;
    const close = async (): Promise<void> => {};
    const notifyAdapter: NotifyAdapter = {
      portVersion: 1,
      publish: async ({ hints }) => void greetings.push(...hints.map(({ kind }) => kind)),
      subscribe: async (listener) => {
        listening = listener;
        return { close };
      },
      close,
    };
    const rig = createRig({ notifyAdapter, processors: { a: () => held.promise.then(() => 1) } });
    await rig.start("a");
    const worker = rig.createWorker();
    await worker.start();
    await rig.clock.advance(100);
    const stopped = worker.stop();
    await rig.clock.advance(100);
    const before = greetings.length;
    listening?.onLost(new Error("gone"));
    listening?.onRestored();
    await rig.clock.advance(100);
    expect(greetings.slice(before).filter((kind) => kind === "taken")).toEqual([]);
    held.resolve();
    await rig.clock.advance(100);
    await stopped;
  });
});
