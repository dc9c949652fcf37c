import type { SqliteDatabase } from "./driver.ts";

/** A callback that has kept the writer for so long may have outlasted leases. */
const longMs = 250;

interface Line {
  readonly database: Pick<SqliteDatabase<object>, "inTransaction">;
  readonly options: { readonly afterLong?: (since: number, forMs: number) => void };
  readonly begin: () => void;
  readonly commit: () => void;
  readonly rollback: () => void;
  /** How long the last callback kept the writer. */
  readonly lastCallbackMs: number;
}

/**
 * Calls `afterLong` if the callback that has just ended took long: in its transaction, or, where that was rolled back, in the
 * very next one.
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
    // Another process has come first, or the disk fails: leases run as they would have.
    rollBack(line);
  }
}

export function rollBack(line: Pick<Line, "database" | "rollback">): void {
  try {
    if (line.database.inTransaction) line.rollback();
  } catch {
    // The connection cannot do even that: the next group finds it busy, and the calls that wait are rejected in time.
  }
}
