/**
 * The driver for better-sqlite3.
 *
 * @module
 */
import Database from "better-sqlite3";
import type { SqliteDatabase, SqliteDriver } from "../driver.ts";
import { setDefensive } from "./defensive.ts";

/**
 * The driver for better-sqlite3. Given a path, it opens its own connections and the adapter closes them. Given a database,
 * it uses that one connection and does not change its settings: the application closes it.
 *
 * @example
 * createSqliteStateAdapter({ driver: betterSqlite3("jobs.db") });
 */
export function betterSqlite3(source: string | Database.Database): SqliteDriver<Database.Database> {
  if (typeof source !== "string") {
    return { openedByApplication: true, open: () => wrap(source), openReader: () => undefined };
  }
  const inMemory = source === ":memory:" || source === "";
  return {
    openedByApplication: false,
    open: () => wrap(new Database(source, { timeout: 0 })),
    openReader: () => (inMemory ? undefined : wrap(new Database(source, { timeout: readerTimeoutMs }))),
  };
}

/** With a write-ahead log, a reader waits only for a recovery. */
const readerTimeoutMs = 5_000;

function wrap(database: Database.Database): SqliteDatabase<Database.Database> {
  return {
    handle: database,
    get inTransaction() {
      return database.inTransaction;
    },
    prepare: (sql) => database.prepare(sql),
    exec: (sql) => void database.exec(sql),
    close: () => void database.close(),
    setDefensive: (isOn) => setDefensive(database, isOn),
  };
}
