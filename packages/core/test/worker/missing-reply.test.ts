import { expect, it } from "vitest";
import type { ExchangeReply, SettleReply } from "../../src/ports/exchange.ts";
import type { StateAdapter } from "../../src/ports/state.ts";
import { createRig } from "../rig.ts";

const tooFew = "the state adapter must return one reply per outcome, in the order of the outcomes; got";

/** An adapter that changes the replies of the first exchange that carries outcomes. */
function changing(settled: (replies: readonly SettleReply[]) => readonly SettleReply[]) {
  let exchanges = 0;
  return (store: StateAdapter): Partial<StateAdapter> => ({
    async exchange(request, options): Promise<ExchangeReply> {
      const reply = await store.exchange(request, options);
      if (request.outcomes.length === 0 || exchanges > 0) return reply;
      exchanges += 1;
      return { ...reply, settled: settled(reply.settled) };
    },
  });
}

/** An adapter that forgets the last outcome of the first exchange that carries some. */
function forgetful() {
  let exchanges = 0;
  return (store: StateAdapter): Partial<StateAdapter> => ({
    exchange(request, options) {
      const isFirst = request.outcomes.length > 0 && exchanges === 0;
      if (isFirst) exchanges += 1;
      return store.exchange(isFirst ? { ...request, outcomes: request.outcomes.slice(0, -1) } : request, options);
    },
  });
}

it("sends an outcome again that the state adapter forgot, and reports the missing reply", async () => {
  let runs = 0;
  const rig = createRig({ between: forgetful(), processors: { a: () => (runs += 1) }, worker: { leaseMs: 600_000 } });
  const id = await rig.start("a");
  const worker = rig.createWorker();
  await worker.start();
  await rig.clock.advance(500);
  expect([(await rig.job(id))?.status, runs]).toEqual(["completed", 1]);
  expect(rig.events.all).toContainEqual({
    type: "store-lost",
    workerId: worker.id,
    error: expect.objectContaining({ name: "TypeError", message: `${tooFew} 0 for 1.` }),
  });
  // The status is that of the last exchange.
  expect(worker.health().status).toBe("store-lost");
  await rig.start("a");
  await rig.clock.advance(5_000);
  expect(worker.health().status).toBe("running");
  await worker.stop();
});

it("reads none of the replies of an adapter that returned too few, because they may belong to other outcomes", async () => {
  const rig = createRig({
    between: changing((replies) => replies.slice(1)),
    processors: { a: () => 1, b: () => 1 },
    worker: { leaseMs: 600_000 },
  });
  const ids = [await rig.start("a"), await rig.start("b")];
  const worker = rig.createWorker();
  await worker.start();
  await rig.clock.advance(5_000);
  for (const id of ids) expect((await rig.job(id))?.status).toBe("completed");
  expect(rig.events.all.filter(({ type }) => type === "job-completed")).toEqual([]);
  expect(rig.events.all.filter(({ type }) => type === "store-lost")).toMatchObject([
    { error: { message: `${tooFew} 1 for 2.` } },
  ]);
  await worker.stop();
});

it("reports an exchange with more replies than outcomes", async () => {
  const rig = createRig({
    between: changing((replies) => [...replies, ...replies]),
    processors: { a: () => 1 },
    worker: { leaseMs: 600_000 },
  });
  await rig.start("a");
  const worker = rig.createWorker();
  await worker.start();
  await rig.clock.advance(5_000);
  expect(rig.events.all.filter(({ type }) => type === "store-lost")).toMatchObject([
    { error: { message: `${tooFew} 2 for 1.` } },
  ]);
  await worker.stop();
});

it("begins the jobs that an exchange claimed whose replies are too few", async () => {
  const rig = createRig({ between: forgetful(), processors: { a: () => 1 }, worker: { concurrency: 1, prefetch: 0 } });
  const ids = [await rig.start("a"), await rig.start("a"), await rig.start("a")];
  const worker = rig.createWorker();
  await worker.start();
  await rig.clock.advance(1_000);
  for (const id of ids) expect(await rig.job(id)).toMatchObject({ status: "completed", attempt: 1 });
  await worker.stop();
});

it("fails a call that settles one outcome and gets no reply", async () => {
  const rig = createRig({ between: () => ({ settle: async () => [] }) });
  const id = await rig.start("a");
  const completion = rig.client.completeChain({ id, typeName: "a", output: 1 });
  await expect(completion).rejects.toThrow(`${tooFew} 0 for 1.`);
});
