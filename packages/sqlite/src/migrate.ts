import { ChainwrightError } from "chainwright";
import type { SqliteDatabase } from "./driver.ts";
import { settingOf } from "./result-rows.ts";
import { migrations } from "./schema.ts";
import type { Tables } from "./schema.ts";

/** The schema version of the store; 0 if there is no schema. */
export function versionOf(database: SqliteDatabase<object>, tables: Tables): number {
  const known = database.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(tables.meta);
  if (known === undefined) return 0;
  const row = database.prepare(`select value from ${tables.meta} where key = 'version'`).get();
  return Number(settingOf(row) ?? 0);
}

/** Refuses a store whose tables are missing, or are older or newer than this version of the library supports. */
export function checkUsable(version: number, tables: Tables): void {
  const newest = migrations(tables).length;
  checkNotNewer(version, newest);
  if (version === newest) return;
  throw new ChainwrightError(
    "not-migrated",
    version === 0
      ? "the tables are missing: call `await stateAdapter.migrate()` first"
      : `the store has schema version ${version}, and version ${newest} is needed: call \`await stateAdapter.migrate()\` first`,
    { details: { version, newest } },
  );
}

function checkNotNewer(version: number, newest: number): void {
  if (version <= newest) return;
  throw new ChainwrightError(
    "schema-too-new",
    `the store has schema version ${version}, and this version of @chainwright/sqlite knows up to ${newest}: update the package`,
    { details: { version, newest } },
  );
}

/** The statements of the missing steps. */
export function pendingStatements(version: number, tables: Tables): readonly string[] {
  const steps = migrations(tables);
  checkNotNewer(version, steps.length);
  const statements = steps.slice(version).flat();
  if (statements.length === 0) return [];
  if (version === 0) {
    statements.unshift(
      `create table ${tables.meta} (key text not null primary key, value text not null) strict, without rowid`,
      `insert into ${tables.meta} (key, value) values ('store_id', lower(hex(randomblob(16))))`,
    );
  }
  return [
    ...statements,
    `insert into ${tables.meta} (key, value) values ('version', '${steps.length}')
     on conflict (key) do update set value = excluded.value`,
  ];
}

/** Runs the missing steps inside a transaction that has the write lock, because several processes may migrate at once. */
export function migrateNow(database: SqliteDatabase<object>, tables: Tables): readonly string[] {
  const statements = pendingStatements(versionOf(database, tables), tables);
  for (const statement of statements) database.exec(statement);
  return statements;
}
