import { createConnectionOperations } from "./connection-operations.ts";
import type { Reads } from "./connection-operations.ts";
import { onSnapshot } from "./doctor/counts.ts";
import type { SnapshotRun } from "./doctor/counts.ts";
import type { SqliteDriver } from "./driver.ts";
import { openReader } from "./open.ts";
import type { Tables } from "./schema.ts";
import { createStore } from "./store.ts";
import { opening, translating } from "./translate-errors.ts";

/** Reads on a separate connection: each sees one committed state of the store. */
export function createReader<Tx extends object>(driver: SqliteDriver<Tx>, tables: Tables) {
  const database = opening(() => openReader(driver));
  if (database === undefined) return undefined;
  const own = createConnectionOperations(database, tables);
  const begin = own.store.sql("begin");
  const commit = own.store.sql("commit");
  return {
    read: <T>(work: (reads: Reads, now: number) => T, now: number): T =>
      translating(() => {
        begin.run();
        try {
          return own.read(work, now);
        } finally {
          if (database.inTransaction) commit.run();
        }
      }),
    /** Uses one more connection, for reads that take many turns of the event loop. */
    snapshot: <T>(run: SnapshotRun<T>): Promise<T> | undefined => {
      const extra = opening(() => openReader(driver));
      return extra && onSnapshot(extra, (pause) => run(createStore(extra, tables), pause));
    },
    close: () => database.close(),
  };
}
