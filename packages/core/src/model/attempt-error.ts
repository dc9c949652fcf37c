import type { EventError } from "./event-error.ts";

/** A failed attempt, as stored with its job. */
export interface AttemptError extends EventError {
  readonly attempt: number;
  /** Milliseconds since 1970, by the worker's clock. */
  readonly at: number;
  readonly workerId: string;
  readonly stack: string | undefined;
  /** Set if the attempt did not count: the next attempt has the same number. */
  readonly uncounted?: true;
  /** Set if `retry.when` decided what happened next, and not `maxAttempts` and `backoff`. */
  readonly decidedBy?: "when";
  /** Set if the call of the handler was for several jobs, or could have been. */
  readonly batch?: {
    /** How many jobs the call got. From 1. */
    readonly size: number;
    /** How often batches of this job had been halved before, because its earlier attempts failed. */
    readonly halvings: number;
    /** The ids of the next jobs of the call, at most 10: those behind this one, and then those from the first one on. */
    readonly others: readonly string[];
  };
  /** Set on the error with which the job failed: the same for failures of one kind, see `client.groupFailures`. */
  readonly kind?: string;
}
