import type { SqliteDatabase } from "./driver.ts";
import { statementOf } from "./result-rows.ts";
import type { Statement } from "./result-rows.ts";
import type { Tables } from "./schema.ts";
import { createTally } from "./tally.ts";
import type { Tally } from "./tally.ts";

/** One connection, as the operations use it. */
export interface Store {
  readonly tables: Tables;
  readonly tally: Tally;
  /** A statement of this connection, prepared at its first use. Created once, with the operation. */
  sql<Row = never>(text: string): Statement<Row>;
  /**
   * A number that changes with each operation, and when a part of one is undone. As long as it is the same, nothing that was written
   * is undone.
   */
  readonly unbroken: number;
  /** Called when an operation begins. */
  beginOperation(): void;
  /** Runs part of an operation that is undone if `undo` says so of its result, or if it throws. */
  attempt<T>(run: () => T, undo: (result: T) => boolean): T;
}

export function createStore(database: SqliteDatabase<object>, tables: Tables): Store {
  const sql = <Row = never>(text: string) => statementOf<Row>(() => database.prepare(planOnce(text)));
  const savepoint = sql("savepoint chainwright_part");
  const release = sql("release chainwright_part");
  const rollback = sql("rollback to chainwright_part");
  const tally = createTally(sql, tables);
  let unbroken = 0;

  const attempt = <T>(run: () => T, undo: (result: T) => boolean): T => {
    const counted = tally.mark();
    savepoint.run();
    let undone = true;
    try {
      const result = run();
      undone = undo(result);
      return result;
    } finally {
      // Some errors (a full disk) end the whole transaction, and the savepoint with it.
      if (database.inTransaction) {
        if (undone) rollback.run();
        release.run();
      }
      if (undone) tally.reset(counted);
      if (undone) unbroken += 1;
    }
  };

  return {
    tables,
    tally,
    get unbroken() {
      return unbroken;
    },
    beginOperation: () => {
      unbroken += 1;
    },
    sql,
    attempt,
  };
}

/**
 * SQLite looks at bound values when it plans (for partial indexes, limits, and with STAT4, as better-sqlite3 has it, for
 * joins), and then plans again whenever they change: 10 to 50 us instead of 1. It does not look at the value behind a `+`.
 */
function planOnce(text: string): string {
  return text.replaceAll("?", "+?");
}
