import { setTimeout as delay } from "node:timers/promises";
import {
  createClient,
  createInProcessNotifyAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
} from "chainwright";
import type { StateAdapter } from "chainwright";
import { timeClaims } from "./stopwatch.ts";
import type { Stopwatch } from "./stopwatch.ts";

/** Input: when the job can run, by the clock of this process. */
const jobTypes = defineJobTypes<{
  plain: { entry: true; input: number; output: number };
  delayed: { entry: true; input: number; output: number };
  retried: { entry: true; input: number; output: number };
  urgent: { entry: true; input: number; output: number };
  keyed: { entry: true; input: number; output: number };
  joined: { entry: true; input: number; output: number; blockers: ["plain"] };
}>();

const delayMs = 1_500;
const retryMs = 700;
const tickMs = 20;
const rushBatch = 1_000;
/** Kinds of `itemOf`: delayed, retried, urgent, plain. */
const rushed = [0, 1, 2, 5];

export interface LoadOptions {
  readonly stateAdapter: StateAdapter;
  readonly rate: number;
  readonly stopwatch: Stopwatch;
}

/** Starts jobs at a fixed rate, and works on them. */
export interface Load {
  readonly started: () => number;
  readonly ended: () => number;
  /** Starts so many jobs at once, and waits until they have ended. */
  readonly rush: (jobs: number) => Promise<void>;
  /** Starts no more jobs. */
  readonly quieten: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function openLoad({ stateAdapter, rate, stopwatch }: LoadOptions): Promise<Load> {
  const client = clientOf(timeClaims(stateAdapter, stopwatch));
  const counts = { started: 0, ended: 0 };
  const end: End = (kind, at) => {
    counts.ended += 1;
    stopwatch.note(kind, Math.max(0, Date.now() - at));
    return at;
  };
  const processors = processorsOf(client, end);
  const worker = createWorker({ client, processors: [processors], concurrency: 50 });
  await worker.start();

  let isOver = false;
  const starting = startAtRate(client, { rate, counts, isOver: () => isOver });
  const quieten = async (): Promise<void> => {
    isOver = true;
    await starting;
  };
  return {
    started: () => counts.started,
    ended: () => counts.ended,
    rush: async (jobs) => {
      const until = counts.ended + jobs;
      for (let begun = 0; begun < jobs; begun += rushBatch) {
        const now = Date.now();
        const items = Array.from({ length: rushBatch }, (_, index) => itemOf(rushed[index % rushed.length] ?? 0, now));
        await client.startChains({ items });
        counts.started += jobsOf(items);
      }
      while (counts.ended < until) await delay(tickMs);
    },
    quieten,
    close: async () => {
      await quieten();
      await worker.stop();
      await client.close();
    },
  };
}

type LoadClient = ReturnType<typeof clientOf>;

function clientOf(stateAdapter: StateAdapter) {
  return createClient({ stateAdapter, notifyAdapter: createInProcessNotifyAdapter(), jobTypes, observers: [] });
}

/** Notes that a job of this kind runs, and when it could at the earliest. */
type End = (kind: string, at: number) => number;

function processorsOf(client: LoadClient, end: End) {
  const failedAt = new Map<string, number>();
  return createProcessors({
    client,
    jobTypes,
    processors: {
      plain: async ({ job }) => end("plain", job.input),
      delayed: async ({ job }) => end("delayed", job.input),
      urgent: async ({ job }) => end("urgent", job.input),
      keyed: async ({ job }) => end("keyed", job.input),
      joined: async ({ job }) => end("joined", job.input),
      retried: {
        retry: { backoff: { initialMs: retryMs, maxMs: retryMs, jitter: 0 } },
        handler: async ({ job }) => {
          if (job.attempt > 1) {
            const at = failedAt.get(job.id) ?? job.input;
            failedAt.delete(job.id);
            return end("retried", at + retryMs);
          }
          failedAt.set(job.id, Date.now());
          throw new Error("the first attempt fails");
        },
      },
    },
  });
}

interface Pace {
  readonly rate: number;
  readonly counts: { started: number };
  readonly isOver: () => boolean;
}

type Item = ReturnType<typeof itemOf>;

function jobsOf(items: readonly Item[]): number {
  return items.length + items.filter((each) => "blockers" in each).length;
}

/** If the store is slow, later ticks start what earlier ones did not. */
async function startAtRate(client: LoadClient, { rate, counts, isOver }: Pace): Promise<void> {
  const began = performance.now();
  let number = 0;
  while (!isOver()) {
    const due = Math.floor(((performance.now() - began) * rate) / 1_000) - number;
    const now = Date.now();
    const items = Array.from({ length: Math.min(due, rate) }, (_, index) => itemOf(number + index, now));
    if (items.length > 0) await client.startChains({ items });
    number += items.length;
    counts.started += jobsOf(items);
    await delay(tickMs);
  }
}

function itemOf(number: number, now: number) {
  switch (number % 20) {
    case 0:
      return { typeName: "delayed", input: now + delayMs, schedule: { afterMs: delayMs } } as const;
    case 1:
      return { typeName: "retried", input: now } as const;
    case 2:
      return { typeName: "urgent", input: now, priority: 5 } as const;
    case 3:
      return { typeName: "keyed", input: now, deduplication: { key: String(number) } } as const;
    case 4:
      return { typeName: "joined", input: now, blockers: [{ typeName: "plain", input: now }] } as const;
    default:
      return { typeName: "plain", input: now } as const;
  }
}
