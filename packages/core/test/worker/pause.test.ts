import { expect, it } from "vitest";
import { createInProcessNotifyAdapter } from "../../src/in-process/notify-adapter.ts";
import { createRig } from "../rig.ts";

it("a worker that is paused while it claims gives back what the claim brings, and runs it when it is resumed", async () => {
  const begunAt: number[] = [];
  let claims = 0;
  const rig = createRig({
    between: (store) => ({
      exchange: async (request, options) => {
        const reply = await store.exchange(request, options);
        if (reply.claimed.length > 0 && (claims += 1) === 1) worker.pause();
        return reply;
      },
    }),
    processors: {
      a: () => {
        begunAt.push(rig.clock.now());
        return 1;
      },
    },
  });
  const worker = rig.createWorker();
  const id = await rig.start("a");
  await worker.start();
  await rig.clock.advance(100_000);
  expect([claims, begunAt]).toEqual([1, []]);
  expect(await rig.job(id)).toMatchObject({ status: "ready", attempt: 0 });
  const resumedAt = rig.clock.now();
  worker.resume();
  await rig.clock.advance(0);
  expect(begunAt).toEqual([resumedAt]);
  expect(await rig.job(id)).toMatchObject({ status: "completed", attempt: 1 });
  await worker.stop();
});

it("a paused worker does not look at all, and a worker that has stopped cannot be resumed", async () => {
  let looks = 0;
  const rig = createRig({
    between: (store) => ({
      exchange: (request, options) => {
        if (request.claim !== undefined) looks += 1;
        return store.exchange(request, options);
      },
    }),
    processors: { a: () => 1 },
  });
  const worker = rig.createWorker();
  await worker.start();
  await rig.clock.advance(1_000);
  worker.pause();
  looks = 0;
  await rig.start("a");
  await rig.clock.advance(86_400_000);
  expect(looks).toBe(0);
  expect(worker.health()).toMatchObject({ status: "paused", running: 0, waiting: 0 });
  await worker.stop();
  worker.resume();
  expect(worker.health().status).toBe("stopping");
});

it("what a worker finds when it is resumed counts as announced, however long the pause took", async () => {
  const rig = createRig({
    notifyAdapter: createInProcessNotifyAdapter(),
    processors: { a: () => 1 },
    worker: { pollIntervalMs: 30_000 },
  });
  const worker = rig.createWorker();
  await worker.start();
  await rig.clock.advance(0);
  for (const pausedForMs of [20_000, 31_000, 61_000, 3_600_000]) {
    worker.pause();
    await rig.clock.advance(pausedForMs);
    const id = await rig.start("a");
    await rig.clock.advance(1_000);
    worker.resume();
    await rig.clock.advance(0);
    expect(await rig.job(id)).toMatchObject({ status: "completed" });
  }
  expect(rig.events.all.filter(({ type }) => type === "job-unannounced")).toEqual([]);
  await worker.stop();
});
