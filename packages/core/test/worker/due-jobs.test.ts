import { expect, it } from "vitest";
import { createRig } from "../rig.ts";

it("twenty idle workers look about twice for each job that becomes due", async () => {
  let looks = 0;
  let empty = 0;
  const rig = createRig({
    between: (store) => ({
      async exchange(request, options) {
        const reply = await store.exchange(request, options);
        looks += 1;
        if (request.outcomes.length + reply.claimed.length === 0) empty += 1;
        return reply;
      },
    }),
    processors: { a: () => 1 },
    worker: { pollIntervalMs: 60_000 },
  });
  const workers = Array.from({ length: 20 }, () => rig.createWorker());
  for (const worker of workers) await worker.start();
  await rig.clock.advance(1_000);
  looks = empty = 0;
  const ids: string[] = [];
  for (let count = 0; count < 100; count += 1) {
    const schedule = { afterMs: 1_100 + ((count * 379) % 2_000) };
    ids.push(String((await rig.client.startChain({ typeName: "a", input: null, schedule }))["id"]));
    await rig.clock.advance(10);
  }
  expect(looks).toBe(0);
  await rig.clock.advance(5_000);
  for (const id of ids) expect((await rig.job(id))?.status).toBe("completed");
  expect(empty).toBeLessThan(200);
  for (const worker of workers) await worker.stop();
});

it("a due job that no hint announced begins in time although a worker of another type takes a job just then", async () => {
  for (let draw = 1; draw < 12; draw += 1) {
    const begun: number[] = [];
    const rig: ReturnType<typeof createRig> = createRig({
      processors: { a: () => 1, b: () => begun.push(rig.clock.now()) },
      worker: { pollIntervalMs: 60_000 },
    });
    const worker = rig.createWorker();
    const dueAt = rig.clock.now() + 70_000;
    await rig.client.startChain({ typeName: "b", input: null, schedule: { afterMs: 70_000 } });
    await worker.start();
    await rig.clock.advance(65_000);
    const taken = (count: number) => ({ kind: "taken", workerId: "only-a", typeName: "a", count }) as const;
    rig.engine.hub.send([taken(0)]);
    await rig.clock.advance(4_980);
    rig.engine.hub.send([{ kind: "ready", typeName: "a", count: 1, draw }]);
    await rig.clock.advance(1);
    rig.engine.hub.send([taken(1)]);
    await rig.clock.advance(5_000);
    await worker.stop();
    expect(begun).toHaveLength(1);
    expect((begun[0] ?? 0) - dueAt).toBeLessThan(20);
  }
});

it("fifty idle workers do not all look for each due job, whether a hint announced it or not", async () => {
  for (const aheadMs of [20_000, 3_600_000]) {
    let empty = 0;
    let done = 0;
    const rig = createRig({
      between: (store) => ({
        async exchange(request, options) {
          const reply = await store.exchange(request, options);
          if (request.outcomes.length + reply.claimed.length === 0) empty += 1;
          return reply;
        },
      }),
      processors: { a: () => (done += 1) },
      worker: { pollIntervalMs: 30_000 },
    });
    const workers = Array.from({ length: 50 }, () => rig.createWorker());
    for (const worker of workers) await worker.start();
    for (let count = 0; count < 30; count += 1)
      await rig.client.startChain({ typeName: "a", input: null, schedule: { afterMs: aheadMs + count * 5_000 } });
    await rig.clock.advance(aheadMs - 100);
    empty = 0;
    await rig.clock.advance(150_000);
    expect(done).toBe(30);
    // In 5 s the polls alone are eight.
    expect(empty / 30).toBeLessThan(25);
    for (const worker of workers) await worker.stop();
  }
});
