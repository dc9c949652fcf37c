import { ChainwrightError } from "chainwright";
import type { CallOptions, TransactionOptions } from "chainwright/adapter";
import { onSnapshot } from "./doctor/counts.ts";
import type { CountAccess, SnapshotRun } from "./doctor/counts.ts";
import type { SqliteDatabase, SqliteDriver } from "./driver.ts";
import { closedError } from "./errors.ts";
import { checkUsable, migrateNow, pendingStatements, versionOf } from "./migrate.ts";
import { openReader, openWriter } from "./open.ts";
import type { Durability } from "./open.ts";
import { createProlongLeases } from "./operations/prolong-leases.ts";
import { createReads, createWrites } from "./operations.ts";
import type { Tables } from "./schema.ts";
import { createStore } from "./store.ts";
import { opening, translating } from "./translate-errors.ts";
import { createWriter } from "./writer.ts";

type Writes = ReturnType<typeof createWrites>;
type Reads = ReturnType<typeof createReads>;

/** How the adapter's calls reach the database: inside a given transaction, in line for the writer, or by the reader. */
export interface Connection<Tx extends object> {
  insideTransaction(): boolean;
  transaction<T>(callback: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  write<T>(options: CallOptions<Tx>, work: (writes: Writes, now: number) => T): Promise<T>;
  read<T>(options: CallOptions<Tx>, work: (reads: Reads, now: number) => T): Promise<T>;
  readonly counts: CountAccess;
  migrate(options?: { readonly dryRun?: boolean | undefined }): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface ConnectOptions<Tx extends object> {
  readonly driver: SqliteDriver<Tx>;
  readonly tables: Tables;
  readonly durability: Durability;
  readonly transactionTimeoutMs: number;
  readonly busyTimeoutMs: number;
}

/** A group older than this is committed although others wait: about the time that a sync to a disk takes. */
const groupMs = 5;

/** Opens at once, so that a wrong path or setting throws where the adapter is created. */
export function connect<Tx extends object>(options: ConnectOptions<Tx>): Connection<Tx> {
  const { driver, tables } = options;
  const database = opening(() => openWriter(driver, options.durability));
  const own = createOperations(database, tables);
  const writer = createWriter(database, { ...options, groupMs, afterLong: own.prolongLeases });
  const reader = createReader(driver, tables);
  let closed = false;
  const checkOpen = (): void => {
    if (closed) throw closedError("this state adapter");
  };

  /** Inside the transaction that `tx` is; what the store throws there is thrown on as it is. */
  const inside = <T>(tx: Tx, work: () => T): T => {
    const lent = writer.lent(tx);
    if (lent !== undefined) return lent.run(work);
    if (writer.isOpen || !isOwn(tx, database, driver)) throw noTransaction();
    return own.store.attempt(work, () => false);
  };

  const write: Connection<Tx>["write"] = async ({ tx, now }, work) => {
    checkOpen();
    if (tx !== undefined) return inside(tx, () => own.write(work, now ?? Date.now()));
    return writer.run(() => own.write(work, now ?? Date.now()));
  };

  return {
    insideTransaction: writer.isInside,
    transaction: async (callback, { holding } = {}) => {
      checkOpen();
      return writer.transaction(async (tx) => {
        const value = await callback(tx);
        if (holding !== undefined) inside(tx, () => own.write((writes) => writes.hold(holding, 0), 0));
        return value;
      });
    },
    write,
    read: async ({ tx, now }, work) => {
      checkOpen();
      if (tx !== undefined) return inside(tx, () => own.read(work, now ?? Date.now()));
      if (reader !== undefined) return reader.read(work, now ?? Date.now());
      return writer.run(() => own.read(work, now ?? Date.now()));
    },
    counts: {
      snapshot: async (run) => {
        checkOpen();
        return reader?.snapshot(run) ?? writer.run(() => run(own.store, () => undefined));
      },
      write: (run) => write({}, () => run(own.store)),
    },
    migrate: async ({ dryRun = false } = {}) => {
      checkOpen();
      const pending = translating(() => pendingStatements(versionOf(database, tables), tables));
      if (dryRun || pending.length === 0) return pending;
      return writer.run(() => migrateNow(database, tables));
    },
    close: async () => {
      if (closed) return;
      closed = true;
      await writer.close();
      reader?.close();
      if (!driver.openedByApplication) database.close();
    },
  };
}

/** Whether `tx` is a transaction of the application's own, on the handle that it gave to the driver. */
function isOwn<Tx extends object>(tx: Tx, database: SqliteDatabase<Tx>, driver: SqliteDriver<Tx>): boolean {
  return tx === database.handle && driver.openedByApplication && database.inTransaction;
}

function noTransaction(): ChainwrightError {
  return new ChainwrightError(
    "invalid-input",
    "tx is no open transaction of this state adapter: pass the handle that its transaction's callback was given",
  );
}

/** The operations on one connection. */
function createOperations(database: SqliteDatabase<object>, tables: Tables) {
  const store = createStore(database, tables);
  const writes = createWrites(store);
  const reads = createReads(store);
  let checked = false;
  const check = () => {
    if (checked) return;
    checkUsable(versionOf(database, tables), tables);
    checked = true;
  };
  const prolongLeases = createProlongLeases(store);
  return {
    store,
    prolongLeases: (since: number, byMs: number): void => {
      if (checked || versionOf(database, tables) > 0) prolongLeases(since, byMs);
    },
    /** One operation whole: what it counted is written with it. */
    write: <T>(work: (writes: Writes, now: number) => T, now: number): T => {
      check();
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

type Operations = ReturnType<typeof createOperations>;

/** Reads on a connection of their own: each sees one committed state of the store. */
function createReader<Tx extends object>(driver: SqliteDriver<Tx>, tables: Tables) {
  const database = opening(() => openReader(driver));
  if (database === undefined) return undefined;
  const own: Operations = createOperations(database, tables);
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
    /** On one more connection, for reads that take many turns of the event loop. */
    snapshot: <T>(run: SnapshotRun<T>): Promise<T> | undefined => {
      const extra = opening(() => openReader(driver));
      return extra && onSnapshot(extra, (pause) => run(createStore(extra, tables), pause));
    },
    close: () => database.close(),
  };
}
