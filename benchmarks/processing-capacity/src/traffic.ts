import type { NotifyAdapter, StateAdapter } from "chainwright";
import type { OpenRow } from "./row.ts";
import { createWorkload, type Workload } from "./workload.ts";
import type { Point, Settings } from "./settings.ts";

/** What hints cost: counted, so the same on every machine. */
export interface Traffic {
  /** Messages handed to the broker for each 1,000 starts. */
  readonly messagesSingle: number;
  readonly messagesConcurrent: number;
  readonly messagesBatched: number;
  /** Looks for work that found none, for each job started one after the other, while so many workers are idle. */
  readonly emptyClaimsPerJob: number;
}

const starts = 1_000;
const idleWorkers = 8;
const lonelyJobs = 50;

/** Where there is a broker; `open` is a clean row each time. */
export async function countTraffic(open: OpenRow, settings: Settings & Point): Promise<Traffic | undefined> {
  const { notifyAdapter, workerNotifyAdapter } = open;
  if (notifyAdapter === undefined || workerNotifyAdapter === undefined) return undefined;
  const published = countMessages(notifyAdapter);
  const looks = countEmptyClaims(open.stateAdapter);
  const workload = createWorkload({ ...open, notifyAdapter: published.adapter, stateAdapter: looks.adapter }, settings);
  try {
    const messages = async (start: () => Promise<void>): Promise<number> => {
      const before = published.count();
      await start();
      // What is published after a commit has been handed over by then.
      await new Promise((resolve) => setTimeout(resolve, 50));
      return published.count() - before;
    };
    const messagesSingle = await messages(() => workload.startSingle("idle", starts));
    const messagesConcurrent = await messages(() => workload.startConcurrent("idle", starts, 50));
    const messagesBatched = await messages(() => workload.startBatched("idle", starts));
    return {
      messagesSingle,
      messagesConcurrent,
      messagesBatched,
      emptyClaimsPerJob: await countLooks(workload, looks),
    };
  } finally {
    await workload.close();
  }
}

async function countLooks(workload: Workload, looks: { count(): number }): Promise<number> {
  const workers = Array.from({ length: idleWorkers }, () => workload.createWorker());
  for (const worker of workers) await worker.start();
  await rest();
  const before = looks.count();
  for (let job = 0; job < lonelyJobs; job += 1) {
    const ended = new Promise<void>((resolve) => (workload.onEnd = resolve));
    await workload.startSingle("value", 1);
    await ended;
    await rest();
  }
  const found = looks.count() - before;
  for (const worker of workers) await worker.stop();
  return found / lonelyJobs;
}

/** Long enough for every worker to have looked and gone to rest. */
async function rest(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 30));
}

function countMessages(adapter: NotifyAdapter): { readonly adapter: NotifyAdapter; count(): number } {
  let messages = 0;
  return {
    count: () => messages,
    adapter: {
      ...adapter,
      publish: (message) => {
        messages += 1;
        return adapter.publish(message);
      },
    },
  };
}

function countEmptyClaims(adapter: StateAdapter): { readonly adapter: StateAdapter; count(): number } {
  let empty = 0;
  return {
    count: () => empty,
    adapter: {
      ...adapter,
      exchange: async (request, options) => {
        const reply = await adapter.exchange(request, options);
        if (request.claim !== undefined && request.outcomes.length === 0 && reply.claimed.length === 0) empty += 1;
        return reply;
      },
    },
  };
}
