import type { AttemptTotals } from "../model/history.ts";

/** Totals of a type, by the length of time and its beginning. */
export interface HistoryRow extends AttemptTotals {
  readonly everyMs: number;
  readonly at: number;
  readonly typeName: string;
}
