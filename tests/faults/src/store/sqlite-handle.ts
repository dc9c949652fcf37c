import type { SqliteDatabase, SqliteDriver } from "@chainwright/sqlite";
import { betterSqlite3 } from "@chainwright/sqlite/better-sqlite3";
import { nodeSqlite } from "@chainwright/sqlite/node-sqlite";
import type { SqlitePlace } from "./open-store.ts";

/** What the handles of both libraries have in common. */
export interface Handle {
  prepare(sql: string): {
    run(...values: (string | number | null)[]): { changes: number | bigint };
    get(...values: string[]): unknown;
  };
}

export function openDriver(path: string, library: SqlitePlace["library"]): SqliteDriver<Handle> {
  return (library === "node:sqlite" ? nodeSqlite(path) : betterSqlite3(path)) as SqliteDriver<Handle>;
}

/**
 * Opens the file for statements of the attack itself, with the library that the place names. A process must not use two of them
 * on one file, because a process loses all its locks on a file when it closes any handle of it, and that damages the database.
 */
export function openHandle(
  { path, library }: Pick<SqlitePlace, "path" | "library">,
  busyTimeoutMs: number,
): SqliteDatabase<Handle> {
  const database = openDriver(path, library).open();
  database.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
  return database;
}
