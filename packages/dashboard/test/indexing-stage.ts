import { createClient, createInProcessStateAdapter, createProcessors, createWorker, defineJobTypes } from "chainwright";
import { createVirtualClock } from "chainwright/testing";
import { createDashboardAt } from "../src/create-dashboard.ts";

const jobTypes = defineJobTypes<{ "row.index": { entry: true; input: { row: number }; output: { row: number } } }>();

/** 32 jobs that were handled in batches. The one at place 7 broke its batches until it was alone. */
export async function createIndexingStage(basePath = "/") {
  const clock = createVirtualClock();
  const client = createClient({ stateAdapter: createInProcessStateAdapter({ clock }), jobTypes, clock, observers: [] });
  const processors = createProcessors({
    client,
    jobTypes,
    processors: {
      "row.index": {
        retry: { maxAttempts: 6, backoff: { initialMs: 100, maxMs: 100, jitter: 0 } },
        batch: {
          maxSize: 32,
          maxWaitMs: 50,
          handler: async ({ jobs }) => {
            if (jobs.some(({ input }) => input.row === 7)) throw new Error("the index refused the rows");
            return jobs.map(({ input }) => ({ row: input.row }));
          },
        },
      },
    },
  });
  const items = Array.from({ length: 32 }, (_, row) => ({ typeName: "row.index", input: { row } }) as const);
  const chains = await client.startChains({ items });
  const worker = createWorker({ client, processors: [processors] });
  await worker.start();
  await clock.advance(60_000);
  await worker.stop();
  const dashboard = createDashboardAt({ client, basePath, authorize: () => ({ role: "viewer", name: "Ada" }) }, clock);
  return { client, dashboard, ids: chains.map(({ id }) => id) };
}
