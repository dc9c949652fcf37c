import type { LostReason, Outcome } from "../model/outcome.ts";
import type { ClaimedJob } from "../model/record.ts";
import type { Clock } from "../ports/clock.ts";
import type { Attempt } from "./attempt.ts";
import { failureOutcome, releaseOutcome } from "./failure-outcome.ts";

/** A job that is leased to this worker. */
export interface Lease {
  readonly job: ClaimedJob;
  readonly leaseMs: number;
  /** By the worker's clock: no other worker can have claimed the job before. */
  leasedUntil: number;
}

/** An outcome on its way to the store, with what is needed if the store does not take it. */
export interface HandIn {
  readonly outcome: Outcome;
  readonly attempt: Attempt;
  readonly lease: Lease;
  readonly fate: Fate;
}

/**
 * What is known of an attempt's end. A call that was given up may still be carried out, and its reply may come after that of
 * the next call that carries the outcome.
 */
export interface Fate {
  /** Calls under way that carry an outcome of the attempt. */
  calls: number;
  isSettled: boolean;
  /** For a job under limits: that its places are free was noted. */
  isEnded: boolean;
  /** That its job was lost was reported. */
  isReported: boolean;
  /** The loss that a call reported while another call was under way, which may have settled the job. */
  lost: LostReason | undefined;
}

export function createHandIn(attempt: Attempt, lease: Lease, outcome: Outcome): HandIn {
  const reports = attempt.reports?.();
  return {
    outcome: reports === undefined ? outcome : { ...outcome, reports },
    attempt,
    lease,
    fate: { calls: 0, isSettled: false, isEnded: false, isReported: false, lost: undefined },
  };
}

/** The same attempt as a failed one, for an outcome that the store refuses. */
export function asFailed(clock: Clock, item: HandIn, error: unknown): HandIn {
  const { attempt, outcome } = item;
  const failed = failureOutcome(clock, { ...attempt, stopReason: undefined }, error);
  return { ...item, outcome: { ...(failed ?? releaseOutcome(attempt.fence)), reports: outcome.reports } };
}

/** Makes a call that carries outcomes, and counts it while it is under way, also after its caller gave up on it. */
export async function carry<T>(items: readonly HandIn[], call: () => Promise<T>): Promise<T> {
  for (const { fate } of items) fate.calls += 1;
  try {
    return await call();
  } finally {
    for (const { fate } of items) fate.calls -= 1;
  }
}
