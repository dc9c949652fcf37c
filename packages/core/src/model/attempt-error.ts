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
}
