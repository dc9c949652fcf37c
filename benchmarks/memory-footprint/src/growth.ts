import { getHeapStatistics } from "node:v8";
import type { StateAdapter } from "chainwright";
import type { Prepared } from "./row.ts";
import { countdown, createSite } from "./work.ts";

/** What work leaves on the heap. */
export interface Growth {
  /** Bytes for each job that waits. */
  readonly perWaitingJob: number;
  /** Bytes on the heap after each tenth of the run, with what had expired cleared away. */
  readonly heapAtTenths: readonly number[];
  /** Bytes that each job past the first tenth left behind. */
  readonly perJobProcessed: number;
}

export async function measureWaiting(prepared: Prepared, count: number): Promise<number> {
  const site = createSite(await prepared.build(), 10, () => undefined);
  await site.start(Math.ceil(count / 10));
  const before = heapUsed();
  await site.start(count);
  const perJob = (heapUsed() - before) / count;
  await site.close();
  return perJob;
}

/** Ended chains are removed between the tenths, as a worker's retention does in its own time. */
export async function measureProcessed(
  prepared: Prepared,
  count: number,
  progress: (step: string) => void,
): Promise<Omit<Growth, "perWaitingJob">> {
  const tenth = Math.ceil(count / 10);
  const parts = await prepared.build();
  let ended = countdown(tenth);
  const site = createSite(parts, 10, () => ended.count());
  const heapAtTenths: number[] = [];
  while (heapAtTenths.length < 10) {
    progress(`${(heapAtTenths.length * tenth).toLocaleString("en")} jobs processed`);
    ended = countdown(tenth);
    await site.start(tenth);
    const worker = await site.startWorker();
    await ended.reached;
    await worker.stop();
    await expireAll(parts.stateAdapter);
    heapAtTenths.push(heapUsed());
  }
  await site.close();
  const [first = 0, last = 0] = [heapAtTenths[0], heapAtTenths.at(-1)];
  return { heapAtTenths, perJobProcessed: (last - first) / (9 * tenth) };
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
