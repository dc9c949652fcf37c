import type { Backoff } from "../model/backoff.ts";

/** A function that does the work of one job type. Its errors are retried, but for `FatalError`. */
export interface Handler<in out Result, in out Context> {
  (context: Context): Result | Promise<Result>;
}

/** A handler with options. */
export interface ProcessorDefinition<in out Result, in out Context> {
  readonly handler: Handler<Result, Context>;
  /** How often and when a failed attempt is tried again. Default: 25 attempts, from one second to an hour apart. */
  readonly retry?: RetryOptions | undefined;
  /** How long an attempt may take before its signal aborts with `timeout`. Default: an hour; `Infinity` for no limit. */
  readonly timeoutMs?: number | undefined;
  /** How long a claimed job is its worker's without a renewal. Default: the worker's. */
  readonly leaseMs?: number | undefined;
}

/** How often and when a failed attempt is tried again. */
export interface RetryOptions {
  /** Attempts in all, the first one included. */
  readonly maxAttempts?: number | undefined;
  /** Delays between attempts: `initialMs * multiplier^(failures - 1)`, at most `maxMs`, varied by `jitter`. */
  readonly backoff?: { readonly [Key in keyof Backoff]?: Backoff[Key] | undefined } | undefined;
}
