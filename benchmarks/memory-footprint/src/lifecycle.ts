import { weighHeap, type Heap } from "./heap.ts";
import type { Prepared } from "./row.ts";
import { countdown, createSite } from "./work.ts";

/** Bytes above the baseline, in which the application's own clients are connected and the code has run before. */
export interface Footprint {
  /** Adapters built, a client and a worker at rest. */
  readonly setUp: number;
  /** As many jobs in their handlers as a worker has slots, the others claimed ahead. */
  readonly inFlight: number;
  /** Live objects after everything was closed. */
  readonly retained: number;
  /** Code and feedback after everything was closed. */
  readonly code: number;
}

export interface Load {
  readonly jobs: number;
  readonly concurrency: number;
}

/** Builds, processes, closes: weighed at each step. */
export async function weighLifecycle(prepared: Prepared, load: Load): Promise<Footprint> {
  const baseline = await weighHeap();
  // In a function of its own, so that the stack frame that measures holds no reference to what is measured.
  const { setUp, inFlight } = await runLifecycle(prepared, load);
  const after = await weighHeap();
  return {
    setUp: total(setUp) - total(baseline),
    inFlight: total(inFlight) - total(baseline),
    retained: after.live - baseline.live,
    code: after.code - baseline.code,
  };
}

async function runLifecycle(
  prepared: Prepared,
  { jobs, concurrency }: Load,
): Promise<Record<"setUp" | "inFlight", Heap>> {
  const atWork = countdown(Math.min(jobs, concurrency));
  const allDone = countdown(jobs);
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const site = createSite(await prepared.build(), concurrency, () => {
    atWork.count();
    return gate.then(allDone.count);
  });
  const worker = await site.startWorker();
  const setUp = await weighHeap();
  await site.start(jobs);
  await atWork.reached;
  await site.look();
  const inFlight = await weighHeap();
  open();
  await allDone.reached;
  await worker.stop();
  await site.close();
  return { setUp, inFlight };
}

const total = ({ live, code }: Heap): number => live + code;
