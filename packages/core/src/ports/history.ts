import type { AttemptTotals } from "../model/history.ts";

/** What a worker has counted since it last said so. An empty type name: all types together. */
export interface CountedAttempts extends AttemptTotals {
  readonly typeName: string;
}

/** Selects the totals of the last `forMs` milliseconds. */
export interface HistoryQuery {
  /** One of {@link historySpans}. */
  readonly everyMs: number;
  readonly forMs: number;
  /** Empty: all types together. */
  readonly typeName: string;
}

/** Totals of the time from `at` on, for `everyMs` milliseconds. */
export interface HistoryRecord extends AttemptTotals {
  readonly at: number;
}

/** Totals as a store returns them, the oldest first, and its time. */
export interface HistoryReply {
  readonly now: number;
  /** Without those in which nothing was counted. */
  readonly totals: readonly HistoryRecord[];
}
