/** A failed attempt, as stored with its job. */
export interface AttemptError {
  readonly attempt: number;
  /** Milliseconds since 1970, by the worker's clock. */
  readonly at: number;
  readonly workerId: string;
  /** The name of the error's class, or its code. */
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
}
