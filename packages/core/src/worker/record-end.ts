import { describeError } from "../checks/describe-error.ts";
import type { Engine } from "../engine/engine.ts";
import type { Attempt, AttemptResult } from "./attempt.ts";
import type { EndedAttempt } from "./sent-outcome.ts";

/** Records the events of an attempt that has ended, and counts it. */
export function recordEnd(
  { events, clock, observed, counts }: Engine,
  { job, fence, startedAt, batch }: EndedAttempt & Pick<Attempt, "startedAt" | "batch">,
  { outcome, error, lost }: AttemptResult,
): void {
  const durationMs = clock.now() - startedAt;
  counts.ended(job.typeName, { outcome, lost }, durationMs);
  if (!observed && lost === undefined) return;
  const { id: jobId, chainId, typeName, attempt } = job;
  const named = { jobId, chainId, typeName, workerId: fence.workerId, attempt };
  if (observed) {
    const failure = error === undefined ? undefined : describeError(error);
    events.record(
      [
        {
          type: "attempt-ended",
          ...named,
          durationMs,
          error: failure,
          ...(batch !== undefined && { batchSize: batch.length }),
        },
      ],
      undefined,
    );
  }
  if (lost !== undefined) events.record([{ type: "lease-lost", ...named, reason: lost }], undefined);
}
