// A worker of sagas, in a process of its own until it is killed or its input ends: node saga-process.ts <json>.
import { setTimeout as delay } from "node:timers/promises";
import { createClient, createProcessors, createWorker, FatalError } from "chainwright";
import { workUntilInputEnds } from "../kills/work-until-input-ends.ts";
import { openStore } from "../store/place.ts";
import type { StorePlace } from "../store/open-store.ts";
import { effectsOf } from "./effects.ts";
import { sagaJobTypes as jobTypes, type Saga } from "./job-types.ts";

const { place } = JSON.parse(process.argv[2] ?? "") as { readonly place: StorePlace };
const store = openStore(place);
const { stateAdapter, notifyAdapter } = store;
const client = createClient({ stateAdapter, notifyAdapter, jobTypes, observers: [] });
const effects = effectsOf(place);

/** The call of a step: it takes a while, and what it does may be there before it returns. */
async function perform(effect: Parameters<typeof effects.append>[0]): Promise<void> {
  await delay(Math.random() * 20);
  effects.append(effect);
  await delay(Math.random() * 20);
}

/** The next step, which waits for chains of its own. */
function nextStep(input: Saga) {
  const blockers = Array.from({ length: input.items }, (_, index) => {
    return { typeName: "saga.item", input: { saga: input.saga, fails: input.itemFails && index === 0 } } as const;
  });
  return { typeName: "saga.step", input: { ...input, step: input.step + 1 }, blockers } as const;
}

const processors = createProcessors({
  client,
  jobTypes,
  // Kills end attempts as well, so there are many.
  retry: { maxAttempts: 1_000, backoff: { initialMs: 50, multiplier: 1, maxMs: 50 } },
  processors: {
    "saga.begin": async ({ job, compensateWith, continueWith }) => {
      const { saga, step, failsAt } = job.input;
      const effect = job.idempotencyKey;
      await compensateWith({ typeName: "saga.undo", input: { saga, effect } });
      await perform({ what: "done", saga, effect, jobId: job.id, step });
      if (failsAt === step) throw new FatalError("it fails, as planned");
      return continueWith(nextStep(job.input));
    },
    "saga.step": async ({ job, compensateWith, continueWith }) => {
      const { saga, step, lastStep, failsAt } = job.input;
      const effect = job.idempotencyKey;
      await compensateWith({ typeName: "saga.undo", input: { saga, effect } });
      await perform({ what: "done", saga, effect, jobId: job.id, step });
      if (failsAt === step) throw new FatalError("it fails, as planned");
      return step === lastStep ? null : continueWith(nextStep(job.input));
    },
    "saga.item": async ({ job, compensateWith }) => {
      const { saga, fails } = job.input;
      const effect = job.idempotencyKey;
      await compensateWith({ typeName: "saga.undo", input: { saga, effect } });
      await perform({ what: "done", saga, effect, jobId: job.id });
      if (fails) throw new FatalError("it fails, as planned");
      return null;
    },
    "saga.undo": async ({ job }) => {
      await perform({ what: "undone", ...job.input, jobId: job.id });
      return null;
    },
    "saga.tell": async ({ job }) => {
      await perform({ what: "told", saga: job.input.chain.input.saga, effect: "", jobId: job.id });
      return null;
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
