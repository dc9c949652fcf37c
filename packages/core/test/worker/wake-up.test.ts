import { expect, it } from "vitest";
import { createInProcessNotifyAdapter } from "../../src/in-process/notify-adapter.ts";
import type { JobStart } from "../../src/model/job-start.ts";
import { createRig } from "../rig.ts";

it("a worker looks again at once after a hint that arrived during an exchange", async () => {
  const gate = Promise.withResolvers<void>();
  let exchanges = 0;
  const rig = createRig({
    between: (store) => ({
      async exchange(request, options) {
        exchanges += 1;
        const first = exchanges === 1;
        const reply = await store.exchange(request, options);
        if (first) await gate.promise;
        return reply;
      },
    }),
    processors: { a: () => 1 },
    worker: { pollIntervalMs: 60_000 },
  });
  const worker = rig.createWorker();
  await worker.start();
  await rig.clock.advance(0);
  // The store has found nothing, and its reply is on its way.
  const id = await rig.start("a");
  await rig.clock.advance(0);
  gate.resolve();
  await rig.clock.advance(0);
  expect((await rig.job(id))?.status).toBe("completed");
  await worker.stop();
});

it("a worker looks again at once after a hint without a draw that arrived during an exchange", async () => {
  const gate = Promise.withResolvers<void>();
  let exchanges = 0;
  const notifyAdapter = createInProcessNotifyAdapter();
  const rig = createRig({
    notifyAdapter,
    between: (store) => ({
      async exchange(request, options) {
        exchanges += 1;
        const first = exchanges === 1;
        const reply = await store.exchange(request, options);
        if (first) await gate.promise;
        return reply;
      },
    }),
    processors: { a: () => 1 },
    worker: { pollIntervalMs: 60_000 },
  });
  const worker = rig.createWorker();
  await worker.start();
  await rig.clock.advance(0);
  const [id, start] = startOf("a");
  await rig.store.start([{ starts: [start] }], {});
  const storeId = await rig.store.storeId({});
  await notifyAdapter.publish({ storeId, senderId: "elsewhere", hints: [{ kind: "ready", typeName: "a", count: 1 }] });
  await rig.clock.advance(0);
  gate.resolve();
  await rig.clock.advance(0);
  expect((await rig.job(id))?.status).toBe("completed");
  await worker.stop();
});

function startOf(typeName: string): readonly [string, JobStart] {
  const id = crypto.randomUUID();
  const none = { schedule: undefined, deduplication: undefined, context: undefined };
  return [id, { id, typeName, input: "1", priority: 0, blockers: [], onBlockerFailure: "fail", ...none }];
}

it("a hinted job begins with the next poll if a worker claimed a job that became due instead", async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let runs = 0;
  const rig = createRig({
    notifyAdapter: createInProcessNotifyAdapter(),
    processors: { a: () => gates[(runs += 1) - 1]?.promise },
    worker: { pollIntervalMs: 1_000, concurrency: 1, prefetch: 0 },
  });
  const workers = [rig.createWorker(), rig.createWorker()];
  for (const worker of workers) await worker.start();
  await rig.clock.advance(0);
  // It is due before the other one is started, and no hint announces that a job has become due.
  const [dueId, due] = startOf("a");
  const at = rig.clock.now() - 1;
  await rig.store.start([{ starts: [{ ...due, schedule: { at } }] }], { now: rig.clock.now() });
  const id = await rig.start("a");
  await rig.clock.advance(10);
  const statuses = async () => [(await rig.job(dueId))?.status, (await rig.job(id))?.status];
  await rig.clock.advance(1_000);
  expect(await statuses()).toEqual(["running", "running"]);
  for (const gate of gates) gate.resolve();
  await rig.clock.advance(0);
  for (const worker of workers) await worker.stop();
});
