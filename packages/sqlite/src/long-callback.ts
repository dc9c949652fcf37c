import type { SqliteDatabase } from "./driver.ts";

/** Leases may have expired during a callback that held the writer for this long. */
const longMs = 250;

interface Line {
  readonly database: Pick<SqliteDatabase<object>, "inTransaction">;
  readonly options: { readonly afterLong?: (since: number, forMs: number) => void };
  readonly begin: () => void;
  readonly commit: () => void;
  readonly rollback: () => void;
  /** How long the last callback held the writer. */
  readonly lastCallbackMs: number;
}

/**
 * Calls `afterLong` if the callback that has just ended took long: in its transaction, or in the next one if that was rolled
 * back.
 */
export function reportLongCallback(line: Line, since: number): void {
  const { afterLong } = line.options;
  if (afterLong === undefined || line.lastCallbackMs < longMs) return;
  if (line.database.inTransaction) {
    afterLong(since, line.lastCallbackMs);
    return;
  }
  try {
    line.begin();
    afterLong(since, line.lastCallbackMs);
    line.commit();
  } catch {
    // Another process was faster, or the disk fails: the leases are not prolonged.
    rollBack(line);
  }
}

export function rollBack(line: Pick<Line, "database" | "rollback">): void {
  try {
    if (line.database.inTransaction) line.rollback();
  } catch {
    // The connection cannot even roll back: the next group finds it busy, and the waiting calls are rejected at their time limit.
  }
}
