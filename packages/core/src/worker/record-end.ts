import { describeError } from "../checks/describe-error.ts";
import type { Engine } from "../engine/engine.ts";
import type { Attempt, AttemptResult } from "./attempt.ts";
import type { EndedAttempt } from "./sent-outcome.ts";

/** The events of an attempt that has ended. */
export function recordEnd(
  { events, clock, observed }: Engine,
  { job, fence, startedAt, batchSize }: EndedAttempt & Pick<Attempt, "startedAt" | "batchSize">,
  { error, lost }: AttemptResult,
): void {
  if (!observed && lost === undefined) return;
  const { id: jobId, chainId, typeName, attempt } = job;
  const named = { jobId, chainId, typeName, workerId: fence.workerId, attempt };
  if (observed) {
    const failure = error === undefined ? undefined : describeError(error);
    const durationMs = clock.now() - startedAt;
    events.record(
      [{ type: "attempt-ended", ...named, durationMs, error: failure, ...(batchSize !== undefined && { batchSize }) }],
      undefined,
    );
  }
  if (lost !== undefined) events.record([{ type: "lease-lost", ...named, reason: lost }], undefined);
}
