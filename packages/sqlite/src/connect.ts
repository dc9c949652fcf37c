import type { CallOptions, MigrateOptions, SchemaState, TransactionOptions } from "chainwright/adapter";
import { createConnectionOperations } from "./connection-operations.ts";
import type { Reads, Writes } from "./connection-operations.ts";
import type { CountAccess } from "./doctor/counts.ts";
import type { SqliteDriver } from "./driver.ts";
import { closedError } from "./errors.ts";
import { createGivenTransaction } from "./given-transaction.ts";
import { migrateNow, pendingStatements, schemaState } from "./migrate.ts";
import { durabilitySwitch, openWriter } from "./open.ts";
import type { Durability } from "./open.ts";
import { createReader } from "./reader.ts";
import type { Tables } from "./schema.ts";
import { opening, translating } from "./translate-errors.ts";
import { createWriter } from "./writer.ts";

/** How the adapter's calls reach the database: inside a given transaction, in the writer's queue, or through the reader. */
export interface Connection<Tx extends object> {
  insideTransaction(): boolean;
  transaction<T>(callback: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  write<T>(options: CallOptions<Tx>, work: (writes: Writes, now: number) => T): Promise<T>;
  /**
   * Writes what a loss of power may take back, without waiting for the disk. Undefined, and nothing is written: the writer was
   * not free in time.
   */
  tryWrite<T>(options: CallOptions<Tx>, work: (writes: Writes, now: number) => T): Promise<T | undefined>;
  read<T>(options: CallOptions<Tx>, work: (reads: Reads, now: number) => T): Promise<T>;
  readonly counts: CountAccess;
  migrate(options?: MigrateOptions): Promise<readonly string[]>;
  schemaState(): Promise<SchemaState>;
  close(): Promise<void>;
}

export interface ConnectOptions<Tx extends object> {
  readonly driver: SqliteDriver<Tx>;
  readonly tables: Tables;
  readonly durability: Durability;
  readonly transactionTimeoutMs: number;
  readonly busyTimeoutMs: number;
}

/** A group older than this is committed even if more calls wait: about the time of a sync to a disk. */
const groupMs = 5;
/** A call that can be made again later does not wait longer than this for the writer. */
const volatileWaitMs = 50;

/** Opens immediately, so that a wrong path or setting throws when the adapter is created. */
export function connect<Tx extends object>(options: ConnectOptions<Tx>): Connection<Tx> {
  const { driver, tables } = options;
  const { database, own, writer, reader, inside } = openParts(options);
  let closed = false;
  const checkOpen = (): void => {
    if (closed) throw closedError("this state adapter");
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
    tryWrite: async ({ tx, now }, work) => {
      checkOpen();
      if (tx !== undefined) return inside(tx, () => own.write(work, now ?? Date.now()));
      return writer.tryVolatile(() => own.write(work, now ?? Date.now()), volatileWaitMs);
    },
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
    migrate: async (migrateOptions = {}) => {
      checkOpen();
      const pending = translating(() => pendingStatements(database, tables, migrateOptions));
      if (migrateOptions.dryRun === true || pending.length === 0) return pending;
      return writer.run(() => migrateNow(database, tables, migrateOptions));
    },
    schemaState: async () => (checkOpen(), translating(() => schemaState(database, tables))),
    close: async () => {
      if (closed) return;
      closed = true;
      await writer.close();
      reader?.close();
      if (!driver.openedByApplication) database.close();
    },
  };
}

function openParts<Tx extends object>(options: ConnectOptions<Tx>) {
  const { driver, tables } = options;
  const database = opening(() => openWriter(driver, options.durability));
  const own = createConnectionOperations(database, tables);
  const setDurable = durabilitySwitch(database, options);
  const writer = createWriter(database, { ...options, groupMs, afterLong: own.prolongLeases, setDurable });
  const reader = createReader(driver, tables);
  const inside = createGivenTransaction({ driver, database, store: own.store, writer });
  return { database, own, writer, reader, inside };
}
