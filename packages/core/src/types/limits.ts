import type { LimitSlice } from "../model/limit.ts";

declare const limited: unique symbol;

/**
 * Some limits, as `defineLimits` returns them. `Types` are the definitions of the job types that are under them, `Names` are the names of
 * the limits.
 *
 * @example
 * type Mails = { "mail.send": { entry: true; input: { to: string }; output: { sent: boolean } } };
 * const jobTypes = defineJobTypes<Mails>();
 * const limits: Limits<Mails, "recipient"> = defineLimits({
 *   jobTypes,
 *   limits: { recipient: { keys: { "mail.send": ({ to }) => to }, concurrency: 1 } },
 * });
 * createClient({ stateAdapter, jobTypes, limits: [limits] });
 */
export interface Limits<in out Types, in out Names> extends LimitSlice {
  /** Types only: it does not exist at run time. */
  readonly [limited]?: { readonly types: Types; readonly names: Names };
}

/**
 * Closes a key for a while when its jobs fail: after `failures` failures within `withinMs` no job with the key begins for `openMs`. Then
 * one job at a time begins, until one succeeds and the key is normal again; if it fails, the key is closed once more. Failures are
 * counted for each key, over all workers.
 *
 * @example
 * const whenDown: BreakerOptions = {
 *   failures: 5,
 *   withinMs: 10_000,
 *   openMs: 60_000,
 *   counts: (error) => error instanceof Error && error.message.includes("503"),
 * };
 * const limits = defineLimits({
 *   jobTypes: mailJobTypes,
 *   limits: { smtp: { keys: { "mail.send": () => "main" }, concurrency: 50, breaker: whenDown } },
 * });
 */
export interface BreakerOptions {
  /** From 1 to 1,000. */
  readonly failures: number;
  readonly withinMs: number;
  readonly openMs: number;
  /**
   * Whether the failure of an attempt counts, by what was thrown. It must be synchronous. If it throws, the failure does not count, and
   * the event `handler-mistake` reports that.
   */
  readonly counts: (error: unknown) => boolean;
}

/**
 * How many attempts of a key may begin: never more than `count` in any span of `perMs` milliseconds, retries included.
 *
 * @example
 * const hundredASecond: RateOptions = { count: 100, perMs: 1_000, spread: true }; // one each 10 ms
 * const limits = defineLimits({
 *   jobTypes: mailJobTypes,
 *   limits: { smtp: { keys: { "mail.send": () => "main" }, rate: hundredASecond } },
 * });
 */
export interface RateOptions {
  /** From 1 to 10,000. */
  readonly count: number;
  readonly perMs: number;
  /** Whether they begin evenly, one each `perMs / count` milliseconds, instead of all at once. Default: false. */
  readonly spread?: boolean | undefined;
}
