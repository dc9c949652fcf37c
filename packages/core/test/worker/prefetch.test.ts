import { expect, it } from "vitest";
import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
} from "../../src/index.ts";

const jobTypes = defineJobTypes<{ work: { entry: true; input: { n: number }; output: null } }>();

/** The most attempts that a worker has on record for jobs that no handler has begun. */
async function claimedAhead(maxAttempts: number): Promise<number> {
  const stateAdapter = createInProcessStateAdapter();
  const client = createClient({ stateAdapter, jobTypes });
  let ahead = 0;
  let ended = 0;
  const all = Promise.withResolvers<void>();
  const handler = async () => {
    ahead = Math.max(ahead, worker.health().waiting);
    ended += 1;
    if (ended === 500) all.resolve();
    return null;
  };
  const processors = createProcessors({ client, jobTypes, processors: { work: { retry: { maxAttempts }, handler } } });
  const worker = createWorker({ client, processors: [processors], concurrency: 2 });
  await client.startChains({
    items: Array.from({ length: 500 }, (_, n) => ({ typeName: "work" as const, input: { n } })),
  });
  await worker.start();
  await all.promise;
  await worker.stop();
  await client.close();
  return ahead;
}

it("claims short jobs ahead of the slots", async () => {
  expect(await claimedAhead(25)).toBeGreaterThan(2);
});

it("claims nothing ahead if a dying process would use up one of few attempts", async () => {
  // What is claimed fills the slots at once; the second of two waits for nothing but its turn.
  expect(await claimedAhead(1)).toBeLessThanOrEqual(1);
});
