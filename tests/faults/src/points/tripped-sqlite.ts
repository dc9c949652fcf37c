import type { SqliteDatabase, SqliteDriver, SqliteStatement } from "@chainwright/sqlite";
import { openDriver } from "../store/sqlite-handle.ts";
import { sqliteStoreOf } from "../store/sqlite-store.ts";
import type { Handle } from "../store/sqlite-handle.ts";
import type { SqlitePlace } from "../store/open-store.ts";
import type { TrippedStore } from "./tripped-store.ts";
import { withTrippedWrites } from "./tripped-store.ts";
import { createTripwire, overWireNow } from "./tripwire.ts";
import type { TripwireOptions } from "./tripwire.ts";

const broken = () => Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR", errcode: 10 });

/** A SQLite store with an accident at one statement, including begin and commit. */
export function openTrippedSqlite(
  { path, library }: SqlitePlace,
  options: Omit<TripwireOptions, "broken">,
): TrippedStore {
  const wire = createTripwire({ ...options, broken });
  const inner = openDriver(path, library);
  let isOpen = false;
  const opened: SqliteDatabase<Handle>[] = [];
  // Without a network no reply can be lost, but a commit that reported a failure may still be stored.
  const counts = (sql: string) => (options.accident === "reply-lost" ? sql === "commit" : !tidying.test(sql));
  const driver: SqliteDriver<Handle> = {
    openedByApplication: false,
    // An error at opening is the application's, before anything runs.
    open: () => {
      const database = inner.open();
      opened.push(database);
      return trippedDatabase(database, (run) => (isOpen ? overWireNow(wire, run) : run()), counts);
    },
    // Reads change nothing, so an accident in a read proves nothing about the store.
    openReader: () => inner.openReader(),
  };
  const store = sqliteStoreOf(driver, "off");
  isOpen = true;
  return {
    wire,
    store: withTrippedWrites(store, wire),
    vanish: () => {
      // Like the next process that opens the file after one has died.
      for (const database of opened) if (database.inTransaction) database.exec("rollback");
    },
  };
}

type Pass = <T>(run: () => T) => T;

function trippedDatabase(
  inner: SqliteDatabase<Handle>,
  pass: Pass,
  counts: (sql: string) => boolean,
): SqliteDatabase<Handle> {
  return {
    handle: inner.handle,
    get inTransaction() {
      return inner.inTransaction;
    },
    exec: (sql) => inner.exec(sql),
    prepare: (sql) => (counts(sql) ? trippedStatement(inner.prepare(sql), pass) : inner.prepare(sql)),
    close: () => inner.close(),
  };
}

/** Rollbacks and releases clean up: a broken disk does not undo them, and a dead process does not need them. */
const tidying = /^(rollback|release)/;

function trippedStatement(inner: SqliteStatement, pass: Pass): SqliteStatement {
  return {
    run: (...parameters) => pass(() => inner.run(...parameters)),
    get: (...parameters) => pass(() => inner.get(...parameters)),
    all: (...parameters) => pass(() => inner.all(...parameters)),
  };
}
