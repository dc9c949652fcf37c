import { ChainwrightError } from "../model/error.ts";
import type { Backoff } from "../model/backoff.ts";
import { checkDuration, checkInteger, checkKeys, invalid, show } from "../checks/check-options.ts";

/** How a job type is retried. */
export interface RetryPolicy {
  /** Attempts in all, the first included. */
  readonly maxAttempts: number;
  readonly backoff: Backoff;
}

/** A handler as the worker calls it, without types. */
export type ErasedHandler = (context: object) => unknown;
export type ErasedMiddleware = (attempt: object, next: (extra?: object) => Promise<unknown>) => unknown;

/** The handler of one job type, with all options of its attempts. */
export interface Processor {
  readonly typeName: string;
  readonly handler: ErasedHandler;
  readonly retry: RetryPolicy;
  /** Infinity: no limit. */
  readonly timeoutMs: number;
  /** Undefined: the worker's. */
  readonly leaseMs: number | undefined;
  readonly middleware: readonly ErasedMiddleware[];
}

/** Exponential, with jitter, from a second to an hour: 25 attempts take about fifteen hours. */
const defaultRetry: RetryPolicy = {
  maxAttempts: 25,
  backoff: { initialMs: 1_000, multiplier: 2, maxMs: 3_600_000, jitter: 0.2 },
};

const mostAttempts = 1_000_000;

/** A handler that never ends must not keep its job forever; a handler that needs longer sets `timeoutMs`. */
const defaultTimeoutMs = 3_600_000;

/** The shortest lease that a worker can renew in time while its process is busy. */
export const shortestLeaseMs = 100;

const processorKeys = {
  handler: true,
  retry: true,
  timeoutMs: true,
  leaseMs: true,
} satisfies Record<keyof DefinitionOptions, true>;
const retryKeys = { maxAttempts: true, backoff: true } satisfies Record<keyof RetryPolicy, true>;
const backoffKeys = {
  initialMs: true,
  multiplier: true,
  maxMs: true,
  jitter: true,
} satisfies Record<keyof Backoff, true>;

interface RetryOptions {
  readonly maxAttempts?: number;
  readonly backoff?: Partial<Backoff>;
}

interface DefinitionOptions {
  readonly handler: ErasedHandler;
  readonly retry?: RetryOptions | undefined;
  readonly timeoutMs?: number | undefined;
  readonly leaseMs?: number | undefined;
}

/** A processor as `createProcessors` takes it: a handler, or a handler with options. */
export type ErasedDefinition = ErasedHandler | DefinitionOptions;

/** Checks one definition and fills in the defaults. */
export function createProcessor(
  typeName: string,
  definition: ErasedDefinition,
  middleware: readonly ErasedMiddleware[],
): Processor {
  const what = `the processor of "${typeName}"`;
  const options = typeof definition === "function" ? { handler: definition } : definition;
  if (typeof options !== "object" || options === null || typeof options.handler !== "function") {
    throw invalid(`${what} must be a function, or an object with a handler.`);
  }
  checkKeys(options, processorKeys, what);
  const { timeoutMs = defaultTimeoutMs, leaseMs } = options;
  return {
    typeName,
    handler: options.handler,
    retry: checkRetry(options.retry ?? {}, what),
    timeoutMs: timeoutMs === Infinity ? timeoutMs : checkDuration(timeoutMs, `timeoutMs of ${what}`, 1),
    leaseMs: leaseMs === undefined ? undefined : checkDuration(leaseMs, `leaseMs of ${what}`, shortestLeaseMs),
    middleware,
  };
}

function checkRetry(retry: RetryOptions, what: string): RetryPolicy {
  checkKeys(retry, retryKeys, `retry of ${what}`);
  const given = retry.backoff ?? {};
  checkKeys(given, backoffKeys, `retry.backoff of ${what}`);
  const backoff = { ...defaultRetry.backoff, ...given };
  checkDuration(backoff.initialMs, `backoff.initialMs of ${what}`);
  checkDuration(backoff.maxMs, `backoff.maxMs of ${what}`);
  if (!(backoff.multiplier >= 1 && Number.isFinite(backoff.multiplier)))
    throw invalid(`backoff.multiplier of ${what} must be a number of at least 1; got ${show(backoff.multiplier)}.`);
  if (!(backoff.jitter >= 0 && backoff.jitter <= 1))
    throw invalid(`backoff.jitter of ${what} must be a number from 0 to 1; got ${show(backoff.jitter)}.`);
  const { maxAttempts = defaultRetry.maxAttempts } = retry;
  return {
    maxAttempts: checkInteger(maxAttempts, `retry.maxAttempts of ${what}`, { min: 1, max: mostAttempts }),
    backoff,
  };
}

/** Joins the processors of several slices; a type must not have two handlers. */
export function mergeProcessors(groups: readonly (readonly Processor[])[]): ReadonlyMap<string, Processor> {
  const merged = new Map<string, Processor>();
  for (const processor of groups.flat()) {
    if (merged.has(processor.typeName)) {
      throw new ChainwrightError(
        "duplicate-job-type",
        `a worker must have one processor for each job type; got two for "${processor.typeName}".`,
      );
    }
    merged.set(processor.typeName, processor);
  }
  return merged;
}
