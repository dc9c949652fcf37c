import { DatabaseSync } from "node:sqlite";
import Database from "better-sqlite3";
import { drizzle } from "drizzle-orm/better-sqlite3";
import { Kysely, SqliteDialect } from "kysely";
import { isChainwrightError } from "chainwright";
import { expect, it } from "vitest";
import { createSqliteNotifyAdapter, createSqliteStateAdapter } from "../src/index.ts";

const database = new Database(":memory:");

it.each([
  ["a path", "jobs.db", 'driver: betterSqlite3("jobs.db"), from @chainwright/sqlite/better-sqlite3'],
  [
    "a database of better-sqlite3",
    database,
    "driver: betterSqlite3(database), from @chainwright/sqlite/better-sqlite3",
  ],
  ["a database of node:sqlite", new DatabaseSync(":memory:"), "driver: nodeSqlite(database), from @chainwright/sqlite"],
  [
    "a database of Drizzle",
    drizzle({ client: database }),
    "driver: drizzleDriver(db), from @chainwright/sqlite/drizzle",
  ],
  [
    "a Kysely",
    new Kysely<unknown>({ dialect: new SqliteDialect({ database }) }),
    "driver: kyselyDriver(db, database), from @chainwright/sqlite/kysely",
  ],
  [
    "a driver for Postgres",
    { query: async () => [], transaction: async () => undefined },
    "createPostgresStateAdapter",
  ],
  ["undefined", undefined, "pass betterSqlite3(path)"],
  ["an object", {}, "pass betterSqlite3(path)"],
])("both adapters refuse %s as a driver, and say what to write", (got, wrong, advice) => {
  const driver = wrong as never;
  const state = refusalOf(() => createSqliteStateAdapter({ driver }));
  const notify = refusalOf(() => createSqliteNotifyAdapter({ driver }));
  expect(state).toContain(`driver of createSqliteStateAdapter must be a driver; got ${got}: `);
  expect(notify).toContain(`driver of createSqliteNotifyAdapter must be a driver; got ${got}: `);
  expect([state.includes(advice), notify.includes(advice)]).toEqual([true, true]);
});

function refusalOf(create: () => unknown): string {
  try {
    create();
  } catch (error) {
    if (isChainwrightError(error, "invalid-input")) return error.message;
    throw error;
  }
  return "accepted";
}
