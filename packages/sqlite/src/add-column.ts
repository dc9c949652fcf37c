import type { SqliteDatabase } from "./driver.ts";
import { settingOf } from "./result-rows.ts";

/** Rows that were written before such a column have its constant without being touched. */
const constantColumn = /^alter table (\w+) add column \w+ (?:integer|text)(?: not null default \d+)?$/;
/** How SQLite stores the text of a table, however it was written. */
const beginning = "CREATE TABLE ";

/**
 * Runs a statement of a migration. After `alter table .. add column`, SQLite checks every row of a strict table, with the write
 * lock held: for a million jobs and the columns of one release 7 s. So a column that changes nothing on the disk is added to a table
 * with rows as SQLite's documentation says under "Making Other Kinds Of Table Schema Changes": the new text of the table is written
 * into the schema, in the same transaction. The text is SQLite's own: the statement runs on an empty copy.
 *
 * Where a driver cannot switch off the mode in which SQLite refuses that, the statement runs as it is.
 */
export function runOfMigration(database: SqliteDatabase<object>, statement: string): void {
  const table = constantColumn.exec(statement)?.[1];
  const isAdded = table !== undefined && !isEmpty(database, table) && addInSchema(database, table, statement);
  if (!isAdded) database.exec(statement);
}

function isEmpty(database: SqliteDatabase<object>, table: string): boolean {
  return database.prepare(`select 1 from ${table} limit 1`).get() === undefined;
}

function addInSchema(database: SqliteDatabase<object>, table: string, statement: string): boolean {
  const text = textOf(database, "main", table);
  // Outside of a transaction, a process that dies would leave a half of it.
  if (!database.inTransaction || !text.startsWith(beginning)) return false;
  return writingSchema(database, () => {
    const changed = changedCopy(database, { table, text, statement });
    const { changes } = database
      .prepare("update main.sqlite_schema set sql = ? where type = 'table' and name = ?")
      .run(changed, table);
    if (Number(changes) !== 1) throw new Error(`the schema has ${changes} tables with the name ${table}`);
    // All connections, this one too, read the schema again before their next statement.
    const version = Number(settingOf(database.prepare("pragma main.schema_version").get()));
    database.exec(`pragma main.schema_version = ${version + 1}`);
  });
}

/** The text of a table after the statement. In the meantime the copy is what its name refers to. */
function changedCopy(
  database: SqliteDatabase<object>,
  { table, text, statement }: { readonly table: string; readonly text: string; readonly statement: string },
): string {
  database.exec(`create temp table ${text.slice(beginning.length)}`);
  database.exec(statement);
  const changed = textOf(database, "temp", table);
  database.exec(`drop table temp.${table}`);
  return changed;
}

function textOf(database: SqliteDatabase<object>, schema: "main" | "temp", table: string): string {
  const row = database.prepare(`select sql from ${schema}.sqlite_schema where type = 'table' and name = ?`).get(table);
  return String(settingOf(row));
}

/** Runs something that writes the schema, and leaves the connection as it was. False, and nothing is run: it is not possible. */
function writingSchema(database: SqliteDatabase<object>, write: () => void): boolean {
  const before = isSchemaWritable(database);
  const isDefensive = !isWritableAfter(database);
  if (isDefensive && database.setDefensive === undefined) return false;
  try {
    if (isDefensive) database.setDefensive?.(false);
    if (!isWritableAfter(database)) return false;
    write();
    return true;
  } finally {
    database.exec(`pragma writable_schema = ${before ? "on" : "off"}`);
    if (isDefensive) database.setDefensive?.(true);
  }
}

/** The defensive mode ignores the setting. */
function isWritableAfter(database: SqliteDatabase<object>): boolean {
  database.exec("pragma writable_schema = on");
  return isSchemaWritable(database);
}

function isSchemaWritable(database: SqliteDatabase<object>): boolean {
  return Number(settingOf(database.prepare("pragma writable_schema").get())) === 1;
}
