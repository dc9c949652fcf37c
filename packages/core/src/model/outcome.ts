import type { JobStart } from "./job-start.ts";
import type { Schedule } from "./schedule.ts";

/** Names one claim of a job. A store writes nothing unless all three match the job's current lease. */
export interface Fence {
  readonly jobId: string;
  readonly workerId: string;
  /** Grows with every claim of the job and never repeats, whatever becomes of its attempts: see {@link ClaimedJob}. */
  readonly fence: number;
}

/** Names the open step of a chain, for a caller that is no worker: refused when the chain has moved on. */
export interface OpenStep {
  readonly chainId: string;
  readonly typeName: string;
}

/** How an attempt, or a caller in its place, ends a job, or how an attempt puts its job back. */
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
 */
export type LostReason = "lease-lost" | "cancelled" | "completed-elsewhere";
