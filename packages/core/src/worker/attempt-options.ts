import type { Backoff } from "../model/backoff.ts";
import { checkDuration, checkInteger, checkKeys, invalid, show } from "../checks/check-options.ts";
import type { RetryOptions, RetryWhen } from "../types/retry.ts";

/** Options of attempts, as they are given for a handler, for all handlers of `createProcessors`, or for all of a worker. */
export interface AttemptOptions {
  readonly retry?: RetryOptions | undefined;
  readonly timeoutMs?: number | undefined;
  readonly leaseMs?: number | undefined;
}

/** How a job type is retried. */
export interface RetryPolicy {
  /** Attempts in all, the first included. */
  readonly maxAttempts: number;
  readonly backoff: Backoff;
  /** Undefined: the two others decide. */
  readonly when: RetryWhen | undefined;
}

/** All options of the attempts of one job type. */
export interface AttemptPolicy {
  readonly retry: RetryPolicy;
  /** Infinity: no limit. */
  readonly timeoutMs: number;
  /** Undefined: the worker's. */
  readonly leaseMs: number | undefined;
}

/** Exponential, with jitter, from a second to an hour: 25 attempts take about fifteen hours. */
const defaultRetry: RetryPolicy = {
  maxAttempts: 25,
  backoff: { initialMs: 1_000, multiplier: 2, maxMs: 3_600_000, jitter: 0.2 },
  when: undefined,
};

/** A handler that never ends must not keep its job forever; a handler that needs longer sets `timeoutMs`. */
const defaultTimeoutMs = 3_600_000;

const mostAttempts = 1_000_000;

/** The shortest lease that a worker can renew in time while its process is busy. */
export const shortestLeaseMs = 100;

const retryKeys = { maxAttempts: true, backoff: true, when: true } satisfies Record<keyof RetryOptions, true>;
const backoffKeys = {
  initialMs: true,
  multiplier: true,
  maxMs: true,
  jitter: true,
} satisfies Record<keyof Backoff, true>;

/** Checks what is given. @param what for the error: `the processor of "mail.send"` */
export function checkAttemptOptions({ retry, timeoutMs, leaseMs }: AttemptOptions, what: string): void {
  if (retry !== undefined) checkRetry(retry, what);
  if (timeoutMs !== undefined && timeoutMs !== Infinity) checkDuration(timeoutMs, `timeoutMs of ${what}`, 1);
  if (leaseMs !== undefined) checkDuration(leaseMs, `leaseMs of ${what}`, shortestLeaseMs);
}

/** The policy of a job type: each value is the first that is given, from the nearest options to the furthest. */
export function attemptPolicy(nearestFirst: readonly AttemptOptions[]): AttemptPolicy {
  const backoff = nearestFirst.reduceRight((below, { retry }) => over(below, retry?.backoff), defaultRetry.backoff);
  const first = <Value>(pick: (options: AttemptOptions) => Value | undefined): Value | undefined =>
    nearestFirst.map(pick).find((value) => value !== undefined);
  return {
    retry: {
      maxAttempts: first(({ retry }) => retry?.maxAttempts) ?? defaultRetry.maxAttempts,
      backoff,
      when: first(({ retry }) => retry?.when),
    },
    timeoutMs: first(({ timeoutMs }) => timeoutMs) ?? defaultTimeoutMs,
    leaseMs: first(({ leaseMs }) => leaseMs),
  };
}

function checkRetry(retry: RetryOptions, what: string): void {
  checkKeys(retry, retryKeys, `retry of ${what}`);
  const { maxAttempts, backoff = {}, when } = retry;
  if (maxAttempts !== undefined)
    checkInteger(maxAttempts, `retry.maxAttempts of ${what}`, { min: 1, max: mostAttempts });
  if (when !== undefined && typeof when !== "function")
    throw invalid(`retry.when of ${what} must be a function; got ${show(when)}.`);
  checkKeys(backoff, backoffKeys, `retry.backoff of ${what}`);
  const { initialMs, maxMs, multiplier, jitter } = backoff;
  if (initialMs !== undefined) checkDuration(initialMs, `backoff.initialMs of ${what}`);
  if (maxMs !== undefined) checkDuration(maxMs, `backoff.maxMs of ${what}`);
  if (multiplier !== undefined && !(multiplier >= 1 && Number.isFinite(multiplier)))
    throw invalid(`backoff.multiplier of ${what} must be a number of at least 1; got ${show(multiplier)}.`);
  if (jitter !== undefined && !(jitter >= 0 && jitter <= 1))
    throw invalid(`backoff.jitter of ${what} must be a number from 0 to 1; got ${show(jitter)}.`);
}

function over(below: Backoff, given: RetryOptions["backoff"] = {}): Backoff {
  return {
    initialMs: given.initialMs ?? below.initialMs,
    multiplier: given.multiplier ?? below.multiplier,
    maxMs: given.maxMs ?? below.maxMs,
    jitter: given.jitter ?? below.jitter,
  };
}
