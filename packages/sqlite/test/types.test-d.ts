import type { DatabaseSync } from "node:sqlite";
import type Database from "better-sqlite3";
import type { NotifyAdapter, StateAdapter } from "chainwright";
import { expectTypeOf, it } from "vitest";
import { createSqliteNotifyAdapter, createSqliteStateAdapter } from "../src/index.ts";
import type { SqliteDriver } from "../src/index.ts";
import { betterSqlite3 } from "../src/drivers/better-sqlite3.ts";
import { nodeSqlite } from "../src/drivers/node-sqlite.ts";

it("gives transactions the library's own handle", () => {
  const better = createSqliteStateAdapter({ driver: betterSqlite3("jobs.db") });
  expectTypeOf(better).toEqualTypeOf<StateAdapter<Database.Database> & AsyncDisposable>();
  const node = createSqliteStateAdapter({ driver: nodeSqlite("jobs.db") });
  expectTypeOf(node).toEqualTypeOf<StateAdapter<DatabaseSync> & AsyncDisposable>();
});

it("takes a custom driver", () => {
  interface Own {
    readonly name: string;
  }
  const driver = {} as SqliteDriver<Own>;
  expectTypeOf(createSqliteStateAdapter({ driver })).toEqualTypeOf<StateAdapter<Own> & AsyncDisposable>();
  expectTypeOf(createSqliteNotifyAdapter({ driver })).toEqualTypeOf<NotifyAdapter & AsyncDisposable>();
});

it("refuses unknown options", () => {
  const driver = betterSqlite3("jobs.db");
  // @ts-expect-error a word of its own
  createSqliteStateAdapter({ driver, durability: "fully" });
  // @ts-expect-error a spelling of its own
  createSqliteStateAdapter({ driver, durabilty: "full" });
  // @ts-expect-error a driver is made by `betterSqlite3` or `nodeSqlite`
  createSqliteStateAdapter({ driver: "jobs.db" });
});
