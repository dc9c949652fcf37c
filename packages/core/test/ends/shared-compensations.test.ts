import { expect, it } from "vitest";
import { createClient } from "../../src/client/create-client.ts";
import { createInProcessStateAdapter } from "../../src/in-process/state-adapter.ts";
import { defineJobTypes } from "../../src/types/define-job-types.ts";
import { createProcessors } from "../../src/worker/create-processors.ts";
import { createWorker } from "../../src/worker/create-worker.ts";

const jobTypes = defineJobTypes<{
  charge: { entry: true; input: { n: number }; output: null; compensate: "refund" };
  refund: { entry: true; input: { n: number }; output: null };
}>();

/** A worker whose handlers record what undoes them at the same time, the first one before the others. */
async function setUp(fail: (calls: number) => void = () => undefined) {
  const adapter = createInProcessStateAdapter();
  const calls: number[] = [];
  const [sent, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const stateAdapter: typeof adapter = {
    ...adapter,
    compensate: async (items, options) => {
      calls.push(items.length);
      sent.resolve();
      await go.promise;
      fail(calls.length);
      return await adapter.compensate(items, options);
    },
  };
  const client = createClient({ stateAdapter, jobTypes });
  const arrived: number[] = [];
  const processors = createProcessors({
    client,
    jobTypes,
    processors: {
      charge: async ({ job: { input }, compensateWith }) => {
        if (input.n > 0) await sent.promise;
        const recorded = compensateWith({ typeName: "refund", input });
        arrived.push(input.n);
        await recorded;
        return null;
      },
      refund: async () => null,
    },
  });
  const worker = createWorker({ client, processors: [processors], concurrency: 10 });
  await worker.start();
  const items = Array.from({ length: 10 }, (_, n) => ({ typeName: "charge", input: { n } }) as const);
  const chains = await client.startChains({ items });
  await expect.poll(() => arrived.length).toBe(10);
  go.resolve();
  for (const chain of chains) await client.awaitChain(chain);
  await worker.stop();
  return calls;
}

it("records what undoes the steps of several attempts in one call", async () => {
  expect(await setUp()).toEqual([1, 9]);
});

it("records each by itself where the store refuses them together", async () => {
  const fail = (calls: number) => {
    if (calls === 2) throw new Error("one of them is poison");
  };
  expect(await setUp(fail)).toEqual([1, 9, ...Array.from({ length: 9 }, () => 1)]);
});
