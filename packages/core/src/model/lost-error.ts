import { ChainwrightError, isChainwrightError } from "./error.ts";
import type { LostReason } from "./outcome.ts";

const texts: Readonly<Record<LostReason, string>> = {
  "lease-lost": "the lease ran out before it could be renewed, and another worker may have the job",
  cancelled: "the chain was cancelled or deleted",
  "completed-elsewhere": "the step was ended from outside",
};

/**
 * Returns the error that rejects the calls of an attempt that has lost its job: a {@link ChainwrightError} with the reason as its
 * code.
 *
 * @param blockedMs how long the event loop of the worker's process was blocked meanwhile
 *
 * @example
 * const holds = (record: JobRecord | undefined, { workerId }: Fence) => record?.leasedBy === workerId;
 * const [found] = await stateAdapter.getJobs([id], {});
 * if (!holds(found, { jobId: id, workerId: worker.id, fence: claimed.fence })) throw lostError("lease-lost", { id });
 */
export function lostError(
  reason: LostReason,
  job: { readonly id: string; readonly typeName?: string },
  blockedMs?: number,
): ChainwrightError {
  const name = job.typeName === undefined ? job.id : `${job.id}, "${job.typeName}"`;
  const why = blockedMs === undefined ? "" : `, because the event loop of its process was blocked for ${blockedMs} ms`;
  return new ChainwrightError(
    reason,
    `${texts[reason]}${why} (job ${name}); nothing that this attempt writes is kept.`,
    {
      details: { jobId: job.id },
    },
  );
}

/** Returns the reason of a {@link lostError}. */
export function lostReasonOf(error: unknown): LostReason | undefined {
  if (!isChainwrightError(error)) return undefined;
  const { code } = error;
  return code === "lease-lost" || code === "cancelled" || code === "completed-elsewhere" ? code : undefined;
}
