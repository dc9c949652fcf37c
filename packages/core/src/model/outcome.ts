import type { Compensation } from "./compensation.ts";
import type { JobStart } from "./job-start.ts";
import type { Reports } from "./note.ts";
import type { Schedule } from "./schedule.ts";

/** Names one claim of a job. A store writes nothing unless all three match the job's current lease. */
export interface Fence {
  readonly jobId: string;
  readonly workerId: string;
  /** Grows with every claim of the job and never repeats: see {@link ClaimedJob}. */
  readonly fence: number;
}

/** Names the open step of a chain, for a caller that is not a worker: refused if the chain has another open step. */
export interface OpenStep {
  readonly chainId: string;
  readonly typeName: string;
}

/** How an attempt, or a caller in its place, ends a job, or how an attempt returns its job to the queue. */
export type Outcome =
  | ({ readonly target: Fence | OpenStep } & Reporting &
      (
        | {
            /** The job and its chain complete. */
            readonly kind: "completed";
            /** JSON text. */
            readonly output: string;
            /** The version of its type that the output has. Undefined: 1. */
            readonly outputVersion?: number | undefined;
          }
        | {
            /** The job completes, and the chain continues with `next`. */
            readonly kind: "continued";
            readonly next: JobStart;
            /** What undoes the step. It replaces what the step recorded before. Undefined: that stays. */
            readonly compensation?: Compensation | undefined;
          }
        | {
            /** The job and its chain fail. */
            readonly kind: "failed";
            /** JSON text of the attempts' errors, see `model/attempt-error.ts`. */
            readonly errors: string;
          }
      ))
  | (Reporting & {
      readonly target: Fence;
      /** The job waits again: after a retry, a reschedule or a returned lease. */
      readonly kind: "deferred";
      /** Undefined: ready at once. */
      readonly schedule: Schedule | undefined;
      /** Whether the attempt counts. If not, the next attempt has the same number; the fence grows in any case. */
      readonly counted: boolean;
      /** Undefined: the stored errors stay. */
      readonly errors: string | undefined;
    });

/** Part of an outcome. */
interface Reporting {
  /**
   * What its attempt has reported last. It is written if the outcome is settled. It never prevents that, and a store may write it before,
   * as `StateAdapter.note` does. Only with a fence as target.
   */
  readonly reports?: Reports | undefined;
}

/**
 * Why an attempt has lost its job: its lease ran out, its chain was cancelled, or the step was ended from outside.
 */
export type LostReason = "lease-lost" | "cancelled" | "completed-elsewhere";
