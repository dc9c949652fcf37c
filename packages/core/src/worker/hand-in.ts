import type { Outcome } from "../model/outcome.ts";
import type { ClaimedJob } from "../model/record.ts";
import type { Clock } from "../ports/clock.ts";
import type { Attempt } from "./attempt.ts";
import { failureOutcome, releaseOutcome } from "./failure-outcome.ts";
import { openFate, type SentOutcome } from "./sent-outcome.ts";

/** A job that is leased to this worker. */
export interface Lease {
  readonly job: ClaimedJob;
  readonly leaseMs: number;
  /** By the worker's clock: no other worker can have claimed the job before. */
  leasedUntil: number;
}

/** An outcome on its way to the store, with what is needed if the store does not take it. */
export interface HandIn extends SentOutcome {
  readonly attempt: Attempt;
  readonly lease: Lease;
}

export function createHandIn(attempt: Attempt, lease: Lease, outcome: Outcome): HandIn {
  const reports = attempt.reports?.();
  return {
    outcome: reports === undefined ? outcome : { ...outcome, reports },
    attempt,
    lease,
    fate: openFate(),
  };
}

/** The same attempt as a failed one, for an outcome that the store refuses. */
export function asFailed(clock: Clock, item: HandIn, error: unknown): HandIn {
  const { attempt, outcome } = item;
  const failed = failureOutcome(clock, { ...attempt, stopReason: undefined }, error);
  return { ...item, outcome: { ...(failed ?? releaseOutcome(attempt.fence)), reports: outcome.reports } };
}
