import {
  checkDuration,
  checkInteger,
  checkKeys,
  checkPool,
  checkText,
  invalid,
  isList,
  show,
} from "../checks/check-options.ts";
import { hintHorizonMs } from "../hints/hints-of-events.ts";
import type { RetryOptions } from "../types/retry.ts";
import { shortestLeaseMs } from "./attempt-options.ts";

/**
 * The options of a worker; everything has a default.
 *
 * @example
 * const patient: WorkerOptions = { concurrency: 2, leaseMs: 120_000, prefetch: 0 };
 * const keeping: WorkerOptions = { retention: { completedMs: 24 * 3_600_000, failedMs: Infinity } };
 * const worker = createWorker({ client, processors: [mailProcessors], ...patient, ...keeping });
 */
export interface WorkerOptions {
  /** Shown where workers are listed. Default: its id. */
  readonly name?: string | undefined;
  /** How many handlers run at the same time. Default 10. */
  readonly concurrency?: number | undefined;
  /**
   * How often and when a failed attempt is retried, for processors that do not say it themselves. Default: 25 attempts, from one
   * second to an hour apart.
   */
  readonly retry?: RetryOptions | undefined;
  /**
   * How long an attempt may take before its signal aborts with `timeout`, for processors that do not say it themselves. Default: an
   * hour; `Infinity`: no limit.
   */
  readonly timeoutMs?: number | undefined;
  /** How long a lease lasts without a renewal, for processors that do not say it themselves. Default 30 s; at least 100 ms. */
  readonly leaseMs?: number | undefined;
  /**
   * The longest time between two looks for work, at most 60 s. Default 1 s without a notify adapter; with one 1 s, 2 s, 4 s and so on
   * after the start, up to 30 s. While wake-ups cannot be received or sent, and after a poll found a job that no wake-up announced, it
   * is at most 1 s.
   */
  readonly pollIntervalMs?: number | undefined;
  /**
   * The most jobs claimed ahead of the slots; 0 claims only jobs that can run at once. A claim counts as an attempt, so a process
   * that dies also uses up one attempt of each job that it had claimed ahead. Default 20 for each slot, and 0 for a worker with
   * a job type of fewer than 5 attempts.
   */
  readonly prefetch?: number | undefined;
  /** How long ended chains are kept; Infinity keeps them. Default 14 days for completed and cancelled chains, Infinity for failed ones. */
  readonly retention?: RetentionOptions | undefined;
  /**
   * The pools whose jobs it claims; null: jobs without a pool. A job has the pool that its start named, and so have the steps that
   * continue it. Default: `[null]`.
   */
  readonly pools?: readonly (string | null)[] | undefined;
  /** Whether it writes the ticks of recurring schedules. Default: true. One worker that does is enough for all schedules. */
  readonly schedules?: boolean | undefined;
  /** A number of this code that grows with each build. It is shown where workers are listed. */
  readonly codeVersion?: number | undefined;
}

interface RetentionOptions {
  readonly completedMs?: number | undefined;
  readonly failedMs?: number | undefined;
}

export interface CheckedWorkerOptions {
  /** Undefined: the worker's id. */
  readonly name: string | undefined;
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly pollIntervalMs: number;
  /** The first wait between two looks. */
  readonly firstPollMs: number;
  readonly prefetch: number;
  readonly pools: readonly (string | null)[];
  readonly codeVersion: number | undefined;
  readonly schedules: boolean;
  readonly retention: { readonly completedMs: number | undefined; readonly failedMs: number | undefined };
}

const optionKeys = {
  client: true,
  processors: true,
  types: true,
  name: true,
  concurrency: true,
  retry: true,
  timeoutMs: true,
  leaseMs: true,
  pollIntervalMs: true,
  prefetch: true,
  retention: true,
  pools: true,
  codeVersion: true,
  schedules: true,
} satisfies Record<keyof WorkerOptions | "client" | "processors" | "types", true>;
const retentionKeys = { completedMs: true, failedMs: true } satisfies Record<keyof RetentionOptions, true>;
/** Also the poll interval without a notify adapter. */
const firstPollMs = 1_000;
const fourteenDaysMs = 14 * 24 * 3_600_000;
const prefetchPerSlot = 20;
/** A type with fewer attempts cannot spare one for a process that dies before the attempt begins. */
const fewAttempts = 5;

/** Checks a worker's options and fills in the defaults, which depend on its processors and on the notify adapter. */
export function checkWorkerOptions(
  options: WorkerOptions,
  given: { readonly hasNotifyAdapter: boolean; readonly fewestAttempts: number },
): CheckedWorkerOptions {
  checkKeys(options, optionKeys, "createWorker");
  const concurrency = checkInteger(options.concurrency ?? 10, "concurrency", { min: 1, max: 10_000 });
  const pollIntervalMs = checkDuration(
    options.pollIntervalMs ?? (given.hasNotifyAdapter ? 30_000 : firstPollMs),
    "pollIntervalMs",
    1,
    hintHorizonMs,
  );
  const retention = options.retention ?? {};
  checkKeys(retention, retentionKeys, "retention");
  const ahead = given.fewestAttempts < fewAttempts ? 0 : concurrency * prefetchPerSlot;
  return {
    name: options.name === undefined ? undefined : checkText(options.name, "name", 200),
    concurrency,
    leaseMs: checkDuration(options.leaseMs ?? 30_000, "leaseMs", shortestLeaseMs),
    pollIntervalMs,
    firstPollMs: options.pollIntervalMs === undefined ? firstPollMs : pollIntervalMs,
    pools: options.pools === undefined ? [null] : checkPools(options.pools),
    prefetch: checkInteger(options.prefetch ?? ahead, "prefetch", { min: 0, max: 100_000 }),
    schedules: checkSchedules(options.schedules),
    codeVersion:
      options.codeVersion === undefined
        ? undefined
        : checkInteger(options.codeVersion, "codeVersion", { min: 0, max: Number.MAX_SAFE_INTEGER }),
    retention: {
      completedMs: keepFor(retention.completedMs ?? fourteenDaysMs, "retention.completedMs"),
      failedMs: keepFor(retention.failedMs ?? Infinity, "retention.failedMs"),
    },
  };
}

function checkPools(pools: unknown): readonly (string | null)[] {
  if (!isList(pools) || pools.length === 0)
    throw invalid(
      `pools must be an array with at least one pool, or null for jobs without a pool; got ${show(pools)}. Leave it out for [null].`,
    );
  return [...new Set(pools.map((pool) => (pool === null ? null : checkPool(pool, "a pool"))))];
}

function keepFor(ms: number, what: string): number | undefined {
  return ms === Infinity ? undefined : checkDuration(ms, what);
}

function checkSchedules(value: unknown = true): boolean {
  if (typeof value === "boolean") return value;
  throw invalid(`schedules must be true or false; got ${show(value)}.`);
}
