import { expect, it } from "vitest";
import { createInProcessNotifyAdapter } from "../../src/in-process/notify-adapter.ts";
import { createRig, type RigOptions } from "../rig.ts";

const secondMs = 1_000;
const minuteMs = 60_000;
const dayMs = 86_400_000;

/** A worker with a notify adapter unless the options say otherwise, and starts of a client without one. */
async function setUp(options: RigOptions = { notifyAdapter: createInProcessNotifyAdapter() }) {
  const rig = createRig({ processors: { a: () => 1 }, worker: { pollIntervalMs: 30 * secondMs }, ...options });
  const worker = rig.createWorker();
  await worker.start();
  await rig.clock.advance(0);
  /** Starts a job that no hint announces, and returns how long it waits. */
  const waitOf = async (): Promise<number> => {
    const id = crypto.randomUUID();
    const none = { schedule: undefined, deduplication: undefined, context: undefined };
    const job = {
      id,
      typeName: "a",
      input: "1",
      priority: 0,
      blockers: [],
      onBlockerFailure: "fail",
      ...none,
    } as const;
    await rig.store.start([{ starts: [job] }], {});
    for (let waitedMs = 0; ; waitedMs += 500) {
      if ((await rig.job(id))?.status === "completed") return waitedMs;
      await rig.clock.advance(500);
    }
  };
  const reported = () => rig.events.all.filter(({ type }) => type === "job-unannounced");
  return { rig, worker, waitOf, reported };
}

it("a worker that finds an unannounced job reports it once, and looks each second for ten minutes", async () => {
  const { rig, worker, waitOf, reported } = await setUp();
  await rig.clock.advance(500);
  expect(await waitOf()).toBeGreaterThan(20 * secondMs);
  expect(reported()).toMatchObject([{ typeName: "a", pollsOftenForMs: 10 * minuteMs }]);
  for (let round = 0; round < 8; round += 1) {
    await rig.clock.advance(minuteMs + 300);
    expect(await waitOf()).toBeLessThanOrEqual(1_500);
  }
  expect(reported()).toHaveLength(1);
  await worker.stop();
});

it("a worker looks each second for longer, up to a day, the more often it finds unannounced jobs after a quiet time", async () => {
  const { rig, worker, waitOf, reported } = await setUp();
  const lasted: number[] = [];
  while (lasted.at(-1) !== dayMs / minuteMs) {
    await rig.clock.advance(300);
    await waitOf();
    const last = reported().at(-1);
    const forMs = last?.type === "job-unannounced" ? last.pollsOftenForMs : 0;
    lasted.push(forMs / minuteMs);
    if (forMs < dayMs) await rig.clock.advance(forMs + minuteMs);
  }
  expect(lasted).toEqual([10, 20, 40, 80, 160, 320, 640, 1_280, dayMs / minuteMs]);
  await worker.stop();
});

it("unannounced jobs of the same minute count as one, because one dead process may have left them", async () => {
  const { rig, worker, waitOf, reported } = await setUp();
  for (let round = 0; round < 10; round += 1) {
    await rig.clock.advance(2_300);
    await waitOf();
  }
  await rig.clock.advance(21 * minuteMs + 300);
  await waitOf();
  const lengths = reported().map((event) => (event.type === "job-unannounced" ? event.pollsOftenForMs / minuteMs : 0));
  expect(lengths).toEqual([10, 20]);
  await worker.stop();
});

it("a worker without a notify adapter reports no unannounced job, because it looks for all of its jobs", async () => {
  const { rig, worker, waitOf, reported } = await setUp({ worker: { pollIntervalMs: secondMs } });
  await rig.clock.advance(300);
  expect(await waitOf()).toBeLessThanOrEqual(1_500);
  expect(reported()).toEqual([]);
  await worker.stop();
});

it("a new worker without a poll interval of its own finds an unannounced job within seconds, and looks half as often each time", async () => {
  const looksAt: number[] = [];
  const { rig, worker, waitOf, reported } = await setUp({
    notifyAdapter: createInProcessNotifyAdapter(),
    worker: {},
    between: (store) => ({
      exchange: (request, options) => {
        looksAt.push(rig.clock.now());
        return store.exchange(request, options);
      },
    }),
  });
  const startedAt = rig.clock.now();
  looksAt.splice(0);
  await rig.clock.advance(100 * secondMs);
  // The first of these is the look after the subscription has opened.
  expect(looksAt.map((at) => Math.floor((at - startedAt) / secondMs))).toEqual([0, 1, 3, 7, 15, 31, 61, 91]);
  await worker.stop();

  const young = rig.createWorker();
  await young.start();
  await rig.clock.advance(300);
  expect(await waitOf()).toBeLessThanOrEqual(secondMs);
  expect(reported()).toHaveLength(1);
  await young.stop();
});
