import { ChainwrightError } from "chainwright";
import {
  checkNotTooNew,
  isContractPending,
  planMigration,
  schemaInUse,
  type MigrateOptions,
  type PresentSchema,
  type SchemaState,
} from "chainwright/adapter";
import { runOfMigration } from "./add-column.ts";
import type { SqliteDatabase } from "./driver.ts";
import { settingOf } from "./result-rows.ts";
import { migrations, type Tables } from "./schema.ts";

/** Whether the file has tables of this library. */
export function isMigrated(database: SqliteDatabase<object>, tables: Tables): boolean {
  return presentSchema(database, tables).version > 0;
}

function presentSchema(database: SqliteDatabase<object>, tables: Tables): PresentSchema {
  const known = database.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(tables.meta);
  if (known === undefined) return { version: 0, compatibleFrom: 1 };
  const setting = database.prepare(`select value from ${tables.meta} where key = ?`);
  return {
    version: Number(settingOf(setting.get("version")) ?? 0),
    compatibleFrom: Number(settingOf(setting.get("compatible_from")) ?? 1),
  };
}

/** Reads the version of the schema, and what `migrate` would do with it. */
export function schemaState(database: SqliteDatabase<object>, tables: Tables): SchemaState {
  const present = presentSchema(database, tables);
  const steps = migrations(tables);
  return { ...present, newest: steps.length, contractPending: isContractPending(present, steps) };
}

/** Refuses a store whose tables are missing or too old, or in which a newer version has removed what this one needs. */
export function checkUsable(database: SqliteDatabase<object>, tables: Tables, steps = migrations(tables)): void {
  const present = presentSchema(database, tables);
  const newest = steps.length;
  checkNotTooNew(present, newest, "the store");
  const { version } = present;
  if (version >= newest) return;
  throw new ChainwrightError(
    "not-migrated",
    version === 0
      ? "the tables are missing: call `await stateAdapter.migrate()` first"
      : `the store has schema version ${version}, and version ${newest} is needed: call \`await stateAdapter.migrate()\` first`,
    { details: { version, newest } },
  );
}

/** The statements of the missing steps. */
export function pendingStatements(
  database: SqliteDatabase<object>,
  tables: Tables,
  options: MigrateOptions,
  steps = migrations(tables),
): readonly string[] {
  const present = presentSchema(database, tables);
  checkNotTooNew(present, steps.length, "the store");
  const plan = planMigration(present, steps, options);
  if (plan.leavesBehind !== undefined) checkUnused(database, tables, plan.leavesBehind);
  if (plan.statements.length === 0) return [];
  return [
    ...(present.version === 0 ? createMeta(tables) : []),
    ...plan.statements,
    `insert into ${tables.meta} (key, value) values ('version', '${plan.version}'), ('compatible_from', '${plan.compatibleFrom}')
     on conflict (key) do update set value = excluded.value`,
  ];
}

function createMeta(tables: Tables): readonly string[] {
  return [
    `create table ${tables.meta} (key text not null primary key, value text not null) strict, without rowid`,
    `insert into ${tables.meta} (key, value) values ('store_id', lower(hex(randomblob(16))))`,
  ];
}

/** Refuses to remove what a worker that is alive still uses. */
function checkUnused(database: SqliteDatabase<object>, tables: Tables, version: number): void {
  const rows = database
    .prepare(`select distinct name from ${tables.worker} where schema_version < ? and alive_until > ? order by name`)
    .all(version, Date.now());
  if (rows.length > 0)
    throw schemaInUse(
      rows.map((row) => String(settingOf(row, "name"))),
      "the store",
    );
}

/** Runs the missing steps inside a transaction that has the write lock, because several processes may migrate at once. */
export function migrateNow(
  database: SqliteDatabase<object>,
  tables: Tables,
  options: MigrateOptions,
  steps = migrations(tables),
): readonly string[] {
  const statements = pendingStatements(database, tables, options, steps);
  for (const statement of statements) runOfMigration(database, statement);
  return statements;
}
