import { expect, it } from "vitest";
import { deferred } from "../../src/engine/deferred.ts";
import { createInProcessNotifyAdapter } from "../../src/in-process/notify-adapter.ts";
import type { JobStart } from "../../src/model/job-start.ts";
import { createRig } from "../rig.ts";

it("a hint that comes while an exchange is under way is followed by another look, with no time passing", async () => {
  const gate = deferred<void>();
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
  // The store has answered that there is nothing, and the answer is on its way.
  const id = await rig.start("a");
  await rig.clock.advance(0);
  gate.resolve();
  await rig.clock.advance(0);
  expect((await rig.job(id))?.status).toBe("completed");
  await worker.stop();
});

it("so is a hint that says nothing of turns, as one from elsewhere may", async () => {
  const gate = deferred<void>();
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
