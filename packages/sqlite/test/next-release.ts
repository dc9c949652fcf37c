import type { Migration } from "chainwright/adapter";
import { betterSqlite3 } from "../src/drivers/better-sqlite3.ts";
import { migrateNow } from "../src/migrate.ts";
import { migrations, tablesOf, type Tables } from "../src/schema.ts";

/** A step with everything that the next release may do to a store beside processes of this one. */
export function nextStep(t: Tables): Migration {
  const tables = Object.values(t).filter((table) => table !== t.meta);
  return {
    expand: [
      ...tables.map((table) => `alter table ${table} add column since_next text`),
      ...tables.map((table) => `alter table ${table} add column constant_next integer not null default 7`),
      "create table chainwright_next (id text not null primary key) strict, without rowid",
      `create index chainwright_job_next on ${t.job} (since_next) where since_next is not null`,
    ],
    contract: [`drop table ${t.tag}`],
  };
}

/** Runs the migration of the next release on a file that this one has migrated. */
export function migrateToNext(path: string, options: { readonly contract?: boolean } = {}): readonly string[] {
  const database = betterSqlite3(path).open();
  const tables = tablesOf("chainwright_");
  try {
    return migrateNow(database, tables, options, [...migrations(tables), nextStep(tables)]);
  } finally {
    database.close();
  }
}
