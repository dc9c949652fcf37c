import { ChainwrightError } from "chainwright";
import { setDefensive } from "../drivers/defensive.ts";
import type { SqliteDatabase, SqliteDriver, SqliteStatement } from "../driver.ts";

/** What a driver for an ORM uses of a database of better-sqlite3, node:sqlite or libsql. All calls are synchronous. */
export interface SqliteClient {
  /** better-sqlite3, libsql. */
  readonly inTransaction?: boolean;
  /** node:sqlite. */
  readonly isTransaction?: boolean;
  prepare(sql: string): SqliteStatement;
  exec(sql: string): unknown;
  close(): unknown;
}

/** With a write-ahead log, a reader waits only for a recovery. */
const readerTimeoutMs = 5_000;

/**
 * A driver whose `tx` an ORM makes for a connection. Given a client, it uses that one connection and does not change its settings.
 * Given a function, it opens connections of its own with it, which the adapter closes.
 */
export function driverOnClient<Source, Tx extends object>(
  source: Source | (() => Source),
  { clientOf, handleOf }: { clientOf(source: Source): SqliteClient; handleOf(source: Source): Tx },
): SqliteDriver<Tx> {
  const wrap = (opened: Source): SqliteDatabase<Tx> => wrapClient(clientOf(opened), handleOf(opened));
  if (!isFactory(source)) return { openedByApplication: true, open: () => wrap(source), openReader: () => undefined };
  return {
    openedByApplication: false,
    open: () => wrap(source()),
    openReader: () => {
      const reader = wrap(source());
      if (isInMemory(reader)) {
        reader.close();
        return undefined;
      }
      reader.exec(`pragma busy_timeout = ${readerTimeoutMs}`);
      return reader;
    },
  };
}

function isFactory<Source>(source: Source | (() => Source)): source is () => Source {
  return typeof source === "function";
}

/** A second connection to a database in memory would have a database of its own. */
function isInMemory(database: SqliteDatabase<object>): boolean {
  const row = database.prepare("select file from pragma_database_list where name = 'main'").get();
  return typeof row === "object" && row !== null && "file" in row && row.file === "";
}

function wrapClient<Tx extends object>(client: SqliteClient, handle: Tx): SqliteDatabase<Tx> {
  return {
    handle,
    get inTransaction() {
      return client.inTransaction ?? client.isTransaction ?? false;
    },
    prepare: (sql) => client.prepare(sql),
    exec: (sql) => void client.exec(sql),
    close: () => void client.close(),
    setDefensive: (isOn) => setDefensive(client, isOn),
  };
}

/** Whether it is a client whose calls are synchronous, as SQLite's are. Those of @libsql/client are not. */
export function isSqliteClient(value: unknown): value is SqliteClient {
  if (typeof value !== "object" || value === null) return false;
  const has = (name: string, type: string) => typeof Reflect.get(value, name) === type;
  return (
    has("prepare", "function") &&
    has("exec", "function") &&
    has("close", "function") &&
    (has("inTransaction", "boolean") || has("isTransaction", "boolean"))
  );
}

export function refusal(name: string, value: unknown): ChainwrightError {
  return new ChainwrightError(
    "invalid-input",
    `${name} must be a database of better-sqlite3, node:sqlite or libsql; got ${nameOf(value)}: ` +
      "a library whose calls are asynchronous, as @libsql/client, cannot be used",
  );
}

/** What an error message calls a value: the name of its class, or its type. */
export function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value !== "object") return `a ${typeof value}`;
  const prototype: unknown = Object.getPrototypeOf(value);
  const name: unknown =
    typeof prototype === "object" && prototype !== null ? Reflect.get(prototype, "constructor") : undefined;
  return typeof name === "function" && name.name !== "" && name.name !== "Object" ? `a ${name.name}` : "an object";
}
