import type { JobStart } from "./job-start.ts";
import type { Schedule } from "./schedule.ts";

/**
 * Names one claim of a job. A store writes nothing unless all three match the job's current lease.
 *
 * @example
 * const fence: Fence = { jobId: claimed.id, workerId: worker.id, fence: claimed.fence };
 * await stateAdapter.settle([{ target: fence, kind: "completed", output: '{"sent":true}' }], {});
 */
export interface Fence {
  readonly jobId: string;
  readonly workerId: string;
  /** Grows with every claim of the job and never repeats, whatever becomes of its attempts: see {@link ClaimedJob}. */
  readonly fence: number;
}

/**
 * Names the open step of a chain, for a caller that is no worker: refused when the chain has moved on.
 *
 * @example
 * const step: OpenStep = { chainId: id, typeName: "mail.send" }; // whoever runs it, at whatever attempt
 * await stateAdapter.settle([{ target: step, kind: "completed", output: '{"sent":true}' }], {});
 */
export interface OpenStep {
  readonly chainId: string;
  readonly typeName: string;
}

/**
 * How an attempt, or a caller in its place, ends a job, or how an attempt puts its job back.
 *
 * @example
 * const target = { jobId: claimed.id, workerId: worker.id, fence: claimed.fence };
 * const done: Outcome = { target, kind: "completed", output: '{"sent":true}' };
 * const later: Outcome = { target, kind: "deferred", schedule: { afterMs: 5_000 }, counted: true, errors: undefined };
 */
export type Outcome =
  | ({ readonly target: Fence | OpenStep } & (
      | {
          /** The job and its chain complete. */
          readonly kind: "completed";
          /** JSON text. */
          readonly output: string;
        }
      | {
          /** The job completes, and the chain goes on with `next`. */
          readonly kind: "continued";
          readonly next: JobStart;
        }
      | {
          /** The job and its chain fail. */
          readonly kind: "failed";
          /** JSON text of the attempts' errors, see `model/attempt-error.ts`. */
          readonly errors: string;
        }
    ))
  | {
      readonly target: Fence;
      /** The job waits again: a retry, a reschedule, a lease given back. */
      readonly kind: "deferred";
      /** Undefined: ready at once. */
      readonly schedule: Schedule | undefined;
      /** Whether the attempt counts. One that does not gives its number to the next one; the fence grows all the same. */
      readonly counted: boolean;
      /** Undefined: the errors on record stay. */
      readonly errors: string | undefined;
    };

/**
 * Why an attempt is not the job's own any more: its lease ran out, its chain was cancelled, or somebody else ended the step.
 *
 * @example
 * const told: Record<LostReason, string> = {
 *   "lease-lost": "another worker may have it",
 *   cancelled: "nobody wants it any more",
 *   "completed-elsewhere": "somebody else has ended the step",
 * };
 */
export type LostReason = "lease-lost" | "cancelled" | "completed-elsewhere";
