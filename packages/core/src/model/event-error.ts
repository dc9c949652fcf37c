/** An error in an event: names and texts, with its causes. */
export interface EventError {
  /** The error's class; for an error of the library its code. */
  readonly name: string;
  readonly message: string;
  /** The `code` of errors of Node.js and of database clients: `ECONNREFUSED`, `23505`. */
  readonly code?: string | undefined;
  /** The frames of the application; those of the library and of Node.js are counted. */
  readonly stack?: string | undefined;
  /** The error's `cause`, with its own cause, up to 5 levels deep. */
  readonly cause?: EventError | undefined;
  /** The first 5 errors of an `AggregateError`. */
  readonly errors?: readonly EventError[] | undefined;
}
