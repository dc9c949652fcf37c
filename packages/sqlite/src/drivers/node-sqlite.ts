/**
 * The driver for Node's own `node:sqlite`.
 *
 * @module
 */
import { DatabaseSync } from "node:sqlite";
import { ChainwrightError } from "chainwright";
import type { SqliteDatabase, SqliteDriver } from "../driver.ts";
import { setDefensive } from "./defensive.ts";

/**
 * The driver for Node's own `node:sqlite`. Given a path, it opens its own connections and the adapter closes them. Given a
 * database, it uses that one connection and does not change its settings: the application closes it.
 *
 * @example
 * createSqliteStateAdapter({ driver: nodeSqlite("jobs.db") });
 */
export function nodeSqlite(source: string | DatabaseSync): SqliteDriver<DatabaseSync> {
  if (typeof source !== "string") {
    return { openedByApplication: true, open: () => wrap(source), openReader: () => undefined };
  }
  const inMemory = source === ":memory:" || source === "";
  return {
    openedByApplication: false,
    open: () => wrap(openWith(source, 0)),
    openReader: () => (inMemory ? undefined : wrap(openWith(source, readerTimeoutMs))),
  };
}

/** With a write-ahead log, a reader waits only for a recovery. */
const readerTimeoutMs = 5_000;

function openWith(path: string, timeoutMs: number): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec(`pragma busy_timeout = ${timeoutMs}`);
  return database;
}

function wrap(database: DatabaseSync): SqliteDatabase<DatabaseSync> {
  if (typeof database.isTransaction !== "boolean") {
    throw new ChainwrightError("invalid-input", `nodeSqlite needs Node 22.16 or newer; this is ${process.version}`);
  }
  return {
    handle: database,
    get inTransaction() {
      return isTransaction(database);
    },
    prepare: (sql) => database.prepare(sql),
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
    setDefensive: (isOn) => setDefensive(database, isOn),
  };
}

/** `isTransaction` exists since Node 22.16. In earlier versions, the database shows it by refusing a second `begin`. */
function isTransaction(database: DatabaseSync & { readonly isTransaction?: boolean }): boolean {
  if (database.isTransaction !== undefined) return database.isTransaction;
  try {
    database.exec("begin");
  } catch {
    return true;
  }
  database.exec("rollback");
  return false;
}
