// A worker whose handler gets many jobs in one call, in a process of its own until it is killed or its input ends: node batch-process.ts <json>.
import { setTimeout as delay } from "node:timers/promises";
import { createClient, createProcessors, createWorker } from "chainwright";
import { workUntilInputEnds } from "../kills/work-until-input-ends.ts";
import { openStore } from "../store/place.ts";
import type { StorePlace } from "../store/open-store.ts";
import { batchJobTypes as jobTypes } from "./job-types.ts";

const { place } = JSON.parse(process.argv[2] ?? "") as { readonly place: StorePlace };
const store = openStore(place);
const { stateAdapter, notifyAdapter } = store;
const client = createClient({ stateAdapter, notifyAdapter, jobTypes, observers: [] });

const processors = createProcessors({
  client,
  jobTypes,
  // Kills end attempts as well, so there are many.
  retry: { maxAttempts: 1_000, backoff: { initialMs: 50, multiplier: 1, maxMs: 50 } },
  processors: {
    "row.write": {
      batch: {
        maxSize: 20,
        maxWaitMs: 20,
        handler: async ({ complete, failed }) => {
          await delay(Math.random() * 30);
          return complete(async ({ tx, jobs }) => {
            for (const { id: jobId, chainId, attempt, input } of jobs)
              if (!input.fails) await store.record(tx, { jobId, chainId, attempt, kind: "ended" });
            // On SQLite no other process can write meanwhile.
            await delay(Math.random() * (place.kind === "sqlite" ? 10 : 50));
            return jobs.map(({ input }) => (input.fails ? failed.fatal("it fails, as planned") : null));
          });
        },
      },
    },
  },
});
const worker = createWorker({
  client,
  processors: [processors],
  concurrency: 3,
  leaseMs: 2_000,
  pollIntervalMs: 1_000,
});
await workUntilInputEnds({ worker, client, store });
