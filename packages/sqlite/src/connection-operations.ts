import type { SqliteDatabase } from "./driver.ts";
import { checkUsable, isMigrated } from "./migrate.ts";
import { createReads, createWrites } from "./operations.ts";
import { createProlongLeases } from "./operations/prolong-leases.ts";
import type { Tables } from "./schema.ts";
import { createStore } from "./store.ts";

export type Writes = ReturnType<typeof createWrites>;
export type Reads = ReturnType<typeof createReads>;

/** The operations on one connection; the first one checks the version of the schema. */
export function createConnectionOperations(database: SqliteDatabase<object>, tables: Tables) {
  const store = createStore(database, tables);
  const writes = createWrites(store);
  const reads = createReads(store);
  let checked = false;
  const check = () => {
    if (checked) return;
    checkUsable(database, tables);
    checked = true;
  };
  const prolongLeases = createProlongLeases(store);
  return {
    store,
    prolongLeases: (since: number, byMs: number): void => {
      if (checked || isMigrated(database, tables)) prolongLeases(since, byMs);
    },
    /** Runs one complete operation and writes its counts with it. */
    write: <T>(work: (writes: Writes, now: number) => T, now: number): T => {
      check();
      store.beginOperation();
      const mark = store.tally.mark();
      try {
        const value = work(writes, now);
        store.tally.flush();
        return value;
      } catch (error) {
        store.tally.reset(mark);
        throw error;
      }
    },
    read: <T>(work: (reads: Reads, now: number) => T, now: number): T => {
      check();
      return work(reads, now);
    },
  };
}
