import type { ClaimedJob } from "../model/record.ts";
import type { BatchPolicy } from "./batch-options.ts";

type Halved = Pick<BatchPolicy, "maxSize" | "bisects">;

/**
 * The most jobs that an attempt at this job may share a batch with. Each attempt on record halves it, so that a job which breaks its
 * batches, or kills its processes, is alone in the end.
 */
export function sizeOf(job: Pick<ClaimedJob, "attempt">, batch: Halved): number {
  // Nearly all attempts are first ones.
  return job.attempt === 1 ? batch.maxSize : Math.max(1, Math.floor(batch.maxSize / 2 ** halvingsOf(job, batch)));
}

/** How often the batches of a job have been halved before this attempt. */
export function halvingsOf({ attempt }: Pick<ClaimedJob, "attempt">, { maxSize, bisects }: Halved): number {
  return bisects ? Math.min(attempt - 1, Math.floor(Math.log2(maxSize))) : 0;
}
