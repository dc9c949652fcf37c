// A worker of jobs under limits, in a process of its own until it is killed or its input ends: node limited-process.ts <json>.
import { setTimeout as delay } from "node:timers/promises";
import { inspect } from "node:util";
import { createClient, createProcessors, createWorker } from "chainwright";
import { workUntilInputEnds } from "../kills/work-until-input-ends.ts";
import { openStore } from "../store/place.ts";
import type { StorePlace } from "../store/open-store.ts";
import { limitedJobTypes as jobTypes, limits, planned } from "./job-types.ts";
import { witnessOf } from "./witness.ts";

const { place } = JSON.parse(process.argv[2] ?? "") as { readonly place: StorePlace };
const store = openStore(place);
const { stateAdapter, notifyAdapter } = store;
const client = createClient({ stateAdapter, notifyAdapter, jobTypes, limits: [limits], observers: [] });
const witness = witnessOf(place);

/** Kills end attempts as well, so there are many. */
const retry = {
  maxAttempts: 1_000,
  backoff: { initialMs: 50, multiplier: 1, maxMs: 50 },
  when: (error: unknown) => {
    if (!(error instanceof Error && error.message === planned)) process.stderr.write(`${inspect(error)}\n`);
    return "retry" as const;
  },
};

const processors = createProcessors({
  client,
  jobTypes,
  processors: {
    alone: {
      retry,
      handler: async ({ job, prepare, complete }) => {
        await prepare({ mode: "staged" }, ({ tx }) => witness.began(tx, job.id, `alone ${job.input.key}`));
        await delay(Math.random() * 30);
        return complete(async ({ tx }) => {
          await witness.ended(tx, job.id);
          return null;
        });
      },
    },
    held: {
      retry,
      handler: async ({ job, prepare, complete }) => {
        await prepare({ mode: "staged" }, ({ tx }) => witness.began(tx, job.id, `held ${job.input.key}`));
        await delay(Math.random() * 30);
        if (job.attempt <= job.input.failures) throw new Error(planned);
        return complete(async ({ tx }) => {
          await witness.ended(tx, job.id);
          return null;
        });
      },
    },
    rated: { retry, handler: () => delay(Math.random() * 30, null) },
    broken: {
      retry,
      handler: async ({ job }) => {
        await delay(Math.random() * 30);
        if (job.attempt <= job.input.failures) throw new Error(planned);
        return null;
      },
    },
  },
});
const worker = createWorker({
  client,
  processors: [processors],
  concurrency: 10,
  leaseMs: 2_000,
  pollIntervalMs: 1_000,
});
await workUntilInputEnds({ worker, client, store });
