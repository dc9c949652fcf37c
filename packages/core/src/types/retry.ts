import type { Backoff } from "../model/backoff.ts";

/**
 * How often and when a failed attempt is retried. It may be given for a processor, for all processors of `createProcessors`, and for a
 * worker: each value comes from the nearest of them that has it.
 *
 * @example
 * const quickly: RetryOptions = { maxAttempts: 3, backoff: { initialMs: 100, jitter: 0 } };
 * createProcessors({
 *   client,
 *   jobTypes: mailJobTypes,
 *   processors: { "mail.send": { retry: quickly, handler: async () => ({ sent: true }) } },
 * });
 */
export interface RetryOptions {
  /** Attempts in all, the first one included. */
  readonly maxAttempts?: number | undefined;
  /** Delays between attempts: `initialMs * multiplier^(failures - 1)`, at most `maxMs`, varied by `jitter`. */
  readonly backoff?: { readonly [Key in keyof Backoff]?: Backoff[Key] | undefined } | undefined;
  /** Decides by the error whether and when the job is tried again. Default: `maxAttempts` and `backoff` decide. */
  readonly when?: RetryWhen | undefined;
}

/**
 * Decides by the error of an attempt what happens next: see {@link RetryDecision}. It must be synchronous and pure. It may be called more
 * than once for an attempt. If it throws, or returns a promise or another value, it has decided `"retry"`, and the event
 * `handler-mistake` reports that.
 *
 * `error` is what was thrown, of any type: by the handler, by its middleware, or by the library (`timeout`, `payload-too-large`).
 * Compare its `code`, because `instanceof` fails if two copies of a package are loaded. A `FatalError` fails the job without a call, and
 * an attempt that lost its lease, was stopped, or called `reschedule` has not failed. `attempt` is its number, from 1.
 *
 * @example
 * const byStatus: RetryWhen = (error, { attempt }) => {
 *   const status = typeof error === "object" && error !== null && "status" in error ? error.status : undefined;
 *   if (status === 410) return "fail";
 *   if (status === 429) return { afterMs: 60_000, uncounted: true };
 *   return status === 404 && attempt > 3 ? "fail" : "retry";
 * };
 * const worker = createWorker({ client, processors: [mailProcessors], retry: { when: byStatus } });
 */
export interface RetryWhen {
  (error: unknown, failed: { readonly attempt: number }): RetryDecision;
}

/**
 * What `retry.when` decides: `"fail"`, the job and its chain fail; `"retry"`, `maxAttempts` and `backoff` decide; `{ afterMs }`, the job is
 * tried again after that time, unless this was its last attempt; with `uncounted: true` the attempt does not count, also the last one.
 * Nothing bounds how often that happens, so an uncounted retry waits for a second at least.
 *
 * @example
 * const afterHeader = (seconds: string | null): RetryDecision =>
 *   seconds === null ? "retry" : { afterMs: Number(seconds) * 1_000, uncounted: true };
 * const when: RetryWhen = (error) => afterHeader(error instanceof Response ? error.headers.get("retry-after") : null);
 */
export type RetryDecision =
  | "fail"
  | "retry"
  | {
      /** Milliseconds from now. */
      readonly afterMs: number;
      /** Whether the attempt does not count. Default: `false`. */
      readonly uncounted?: boolean | undefined;
    };
