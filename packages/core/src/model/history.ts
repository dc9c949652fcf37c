/** What the attempts at jobs of a type did in some time. */
export interface AttemptTotals {
  /** Attempts that completed their job, or continued its chain. */
  readonly completed: number;
  /** Attempts after which their job was failed. */
  readonly failed: number;
  /** Attempts that failed and after which their job waits for another one. */
  readonly retried: number;
  /** The longest time that a job waited between the moment when it could run and its claim, in milliseconds. */
  readonly longestWaitMs: number;
  /** How many attempts ran how long: at place n those below 2 to the power of n milliseconds, and not below that of n - 1. */
  readonly runTimes: readonly number[];
}

/** Lengths of time for which totals are added up, and how long they are kept at least, in milliseconds. */
interface HistorySpan {
  readonly everyMs: number;
  readonly keptMs: number;
}

/**
 * For which times a store keeps totals, and for how long.
 *
 * @example
 * const oldest = (now: number) => historySpans.map(({ keptMs }) => new Date(now - keptMs));
 */
export const historySpans: readonly [HistorySpan, HistorySpan] = [
  { everyMs: 60_000, keptMs: 2 * 3_600_000 },
  { everyMs: 600_000, keptMs: 25 * 3_600_000 },
];

/** More than an hour. */
const mostPlaces = 24;

/** The place of a run time in `AttemptTotals.runTimes`. */
export function placeOf(ms: number): number {
  return Math.min(mostPlaces - 1, Math.max(0, 32 - Math.clz32(Math.min(ms, 2 ** 31))));
}

/**
 * The totals of both.
 *
 * @example
 * const sumOf = (all: readonly HistoryRecord[]) => all.reduce(addTotals, noAttempts);
 */
export function addTotals(one: AttemptTotals, other: AttemptTotals): AttemptTotals {
  const places = Math.max(one.runTimes.length, other.runTimes.length);
  return {
    completed: one.completed + other.completed,
    failed: one.failed + other.failed,
    retried: one.retried + other.retried,
    longestWaitMs: Math.max(one.longestWaitMs, other.longestWaitMs),
    runTimes: Array.from({ length: places }, (_, at) => (one.runTimes[at] ?? 0) + (other.runTimes[at] ?? 0)),
  };
}

/**
 * Totals of nothing.
 *
 * @example
 * const isQuiet = ({ completed, failed }: HistoryRecord) => completed + failed === noAttempts.completed;
 */
export const noAttempts: AttemptTotals = { completed: 0, failed: 0, retried: 0, longestWaitMs: 0, runTimes: [] };

/** The run time below which this share of the attempts was, estimated within its power of two. Undefined: there are none. */
export function runTimeAt(runTimes: readonly number[], share: number): number | undefined {
  const all = runTimes.reduce((sum, count) => sum + count, 0);
  let left = all * share;
  for (const [place, count] of runTimes.entries()) {
    if (count > 0 && left <= count) {
      const from = place === 0 ? 0 : 2 ** (place - 1);
      return from + (2 ** place - from) * (left / count);
    }
    left -= count;
  }
  return undefined;
}
