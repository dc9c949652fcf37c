import { getHeapStatistics } from "node:v8";
import type { StateAdapter } from "chainwright";
import type { Prepared } from "./row.ts";
import { slopeOf, type Slope } from "./slope.ts";
import { countdown, createSite } from "./work.ts";

/** What work leaves on the heap. */
export interface Growth {
  /** Bytes for each job that waits. */
  readonly perWaitingJob: number;
  /** Bytes on the heap after each tenth of the run, with what had expired cleared away. */
  readonly heapAtTenths: readonly number[];
  /** Bytes that each job past the first tenth left behind. */
  readonly perJobProcessed: Slope;
}

/** So many jobs wait or have ended at the same time, at most, however long the run is. */
const portion = 100_000;

export async function measureWaiting(prepared: Prepared, count: number): Promise<number> {
  const site = createSite(await prepared.build(), 10, () => undefined);
  await site.start(Math.ceil(count / 10));
  const before = heapUsed();
  await site.start(count);
  const perJob = (heapUsed() - before) / count;
  await site.close();
  return perJob;
}

/** Ended chains are removed after each portion, as a worker's retention does in its own time. */
export async function measureProcessed(
  prepared: Prepared,
  count: number,
  progress: (step: string) => void,
): Promise<Omit<Growth, "perWaitingJob">> {
  const tenth = Math.ceil(count / 10);
  const parts = await prepared.build();
  let ended = countdown(0);
  const site = createSite(parts, 10, () => ended.count());
  const run = async (jobs: number): Promise<void> => {
    ended = countdown(jobs);
    await site.start(jobs);
    const worker = await site.startWorker();
    await ended.reached;
    await worker.stop();
    await expireAll(parts.stateAdapter);
  };
  const heapAtTenths: number[] = [];
  while (heapAtTenths.length < 10) {
    progress(`${(heapAtTenths.length * tenth).toLocaleString("en")} jobs processed`);
    for (let left = tenth; left > 0; left -= portion) await run(Math.min(left, portion));
    heapAtTenths.push(heapUsed());
  }
  await site.close();
  return { heapAtTenths, perJobProcessed: slopeOf(heapAtTenths.slice(1), tenth) };
}

async function expireAll(stateAdapter: StateAdapter): Promise<void> {
  // Chains that ended within this millisecond are not older than none.
  await new Promise((resolve) => setTimeout(resolve, 5));
  for (let more = true; more;)
    ({ more } = await stateAdapter.maintain({ completedMs: 0, failedMs: 0, limit: 5_000 }, {}));
}

function heapUsed(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return getHeapStatistics().used_heap_size;
}
