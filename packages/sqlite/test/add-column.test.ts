import { DatabaseSync } from "node:sqlite";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { betterSqlite3 } from "../src/drivers/better-sqlite3.ts";
import { nodeSqlite } from "../src/drivers/node-sqlite.ts";
import type { SqliteDatabase, SqliteDriver } from "../src/index.ts";
import { migrateNow } from "../src/migrate.ts";
import { migrations, tablesOf } from "../src/schema.ts";
import { pagesRead } from "./listened-store.ts";
import { nextStep } from "./next-release.ts";
import { drizzleLibrary, drizzleOnLibsqlLibrary, kyselyOnNodeLibrary } from "./orm-libraries.ts";
import { databasePath, listening } from "./store.ts";

/*
 * A migration adds columns to tables with a long history without reading it, by writing the schema: see `add-column.ts`. It must
 * leave what `alter table` leaves, and every process must notice.
 */

const tables = tablesOf("chainwright_");
const steps = migrations(tables);
const withNext = [...steps, nextStep(tables)];
const first = steps.slice(0, 1);
const onlyColumns = [...first, { expand: alters(steps.flatMap(({ expand }) => expand)) }];

const drivers: Readonly<Record<string, (path: string) => SqliteDriver<object>>> = {
  "better-sqlite3": (path) => betterSqlite3(path),
  "a handle of better-sqlite3": (path) => betterSqlite3(closedLater(new Database(path))),
  "node:sqlite": (path) => nodeSqlite(path),
  "a handle of node:sqlite": (path) => nodeSqlite(closedLater(new DatabaseSync(path))),
  "Drizzle on better-sqlite3": drizzleLibrary.driver,
  "Drizzle on libsql": drizzleOnLibsqlLibrary.driver,
  "Kysely on node:sqlite": kyselyOnNodeLibrary.driver,
};

function closedLater<Handle extends { close(): unknown }>(handle: Handle): Handle {
  onTestFinished(() => void handle.close());
  return handle;
}

/** A connection; what it was asked to run is in `ran`. */
function connect(driver: SqliteDriver<object>) {
  const ran: string[] = [];
  const database = driver.open();
  if (!driver.openedByApplication) closedLater(database);
  const exec = database.exec.bind(database);
  database.exec = (sql) => (ran.push(sql), exec(sql));
  return Object.assign(database, { ran });
}

function inTransaction(database: SqliteDatabase<object>, work: () => void): void {
  database.exec("begin immediate");
  try {
    work();
    database.exec("commit");
  } catch (error) {
    database.exec("rollback");
    throw error;
  }
}

/** A store of the last release with this many ended jobs, and a row in each table that it has. */
function lastRelease(jobs: number): string {
  const path = databasePath();
  const database = new Database(path);
  database.pragma("journal_mode = wal");
  migrateNow(betterSqlite3(database).open(), tables, {}, first);
  for (const table of namesIn(database)) fill(database, table, 1);
  fill(database, tables.job, jobs);
  fill(database, tables.blocker, jobs);
  database.close();
  return path;
}

function namesIn(database: Database.Database): readonly string[] {
  return database
    .prepare("select name from sqlite_schema where type = 'table' and name like 'chainwright%' and name <> ?")
    .pluck()
    .all(tables.meta) as string[];
}

/** Columns get numbers, which STRICT makes texts where it must. */
function fill(database: Database.Database, table: string, rows: number): void {
  const { length } = database.pragma(`table_info(${table})`) as unknown[];
  database.exec(
    `insert into ${table} with recursive n (n) as (select ${rows * 2} union all select n + 1 from n where n < ${rows * 3})
     select ${Array<string>(length).fill("n").join(", ")} from n`,
  );
}

/** All that SQLite knows of the schema. */
function schemaOf(database: SqliteDatabase<object>): unknown {
  const texts = plain(database.prepare("select type, name, sql from sqlite_schema order by name").all());
  const names = (texts as { type: string; name: string }[]).filter(({ type }) => type === "table");
  return [texts, names.map(({ name }) => plain(database.prepare(`pragma table_xinfo(${name})`).all()))];
}

function contentOf(database: SqliteDatabase<object>): unknown {
  return plain([tables.job, tables.blocker, tables.worker].map((t) => database.prepare(`select * from ${t}`).all()));
}

const plain = (rows: unknown): unknown => JSON.parse(JSON.stringify(rows));
function alters(ran: readonly string[]): readonly string[] {
  return ran.filter((sql) => sql.startsWith("alter table"));
}

const writes = (ran: readonly string[]) => ran.filter((sql) => sql.startsWith("pragma main.schema_version ="));

/** What a driver makes that cannot switch the defensive mode off. */
function migratedByAlter(jobs: number) {
  const driver = listening(lastRelease(jobs), () => undefined);
  const database = connect(driver);
  inTransaction(database, () => migrateNow(database, tables, {}, withNext));
  expect(writes(database.ran)).toEqual([]);
  return database;
}

describe.each(Object.entries(drivers))("columns added through %s", (_, driver) => {
  it("are those that `alter table` adds, and the content is the same", () => {
    const database = connect(driver(lastRelease(50)));
    inTransaction(database, () => migrateNow(database, tables, {}, withNext));
    // Fifteen are in step 2 and two for each table in the next one; a new table is empty.
    expect(writes(database.ran).length).toBeGreaterThan(30);
    const byAlter = migratedByAlter(50);
    expect(schemaOf(database)).toEqual(schemaOf(byAlter));
    expect(contentOf(database)).toEqual(contentOf(byAlter));
    expect(JSON.stringify(database.prepare("pragma integrity_check").all())).toContain('"ok"');
  });

  it("are not there after a statement fails, also when another process has added others since", () => {
    const path = lastRelease(50);
    const [database, other] = [connect(driver(path)), connect(betterSqlite3(path))];
    const before = schemaOf(database);
    const adding = (column: string) => `alter table ${tables.job} add column ${column} integer`;
    const failing = [...first, { expand: [adding("abandoned"), "insert into nowhere values (1)"] }];
    const migrate = () => migrateNow(database, tables, {}, failing);
    inTransaction(database, () => {
      // Other calls may share the transaction.
      database.exec("savepoint s");
      expect(migrate).toThrow("nowhere");
      database.exec("rollback to s");
      expect(schemaOf(database)).toEqual(before);
    });
    expect(() => inTransaction(database, migrate)).toThrow("nowhere");
    expect(writes(database.ran)).toHaveLength(2);
    expect(schemaOf(database)).toEqual(before);
    inTransaction(other, () => migrateNow(other, tables, {}, [...first, { expand: [adding("other")] }]));
    expect(database.prepare(`select other from ${tables.job} limit 1`).all()).toHaveLength(1);
    expect(() => database.prepare(`select abandoned from ${tables.job}`)).toThrow("abandoned");
  });

  it("are seen by the next statement of every connection, prepared before or not", () => {
    const path = lastRelease(50);
    const others = [connect(betterSqlite3(path)), connect(nodeSqlite(path))].map((connection) => ({
      connection,
      read: connection.prepare(`select * from ${tables.job} where seq = ?`),
      write: connection.prepare(`update ${tables.job} set status = 'x' where seq = ?`),
    }));
    for (const { read } of others) expect(plain(read.get(100))).not.toHaveProperty("extras");
    const database = connect(driver(path));
    inTransaction(database, () => migrateNow(database, tables, {}, onlyColumns));
    expect(writes(database.ran).length).toBeGreaterThan(10);
    for (const { connection, read, write } of others) {
      expect(plain(read.get(100))).toMatchObject({ status: "100", extras: null });
      connection.exec(`update ${tables.job} set extras = 7 where seq = 101`);
      // An older process rewrites the row and keeps what it does not know.
      write.run(101);
      expect(plain(read.get(101))).toMatchObject({ status: "x", extras: 7 });
      connection.exec(`update ${tables.job} set extras = null, status = '101' where seq = 101`);
    }
  });

  it("leave the connection as it was: it refuses to write the schema if it did before", () => {
    const database = connect(driver(lastRelease(50)));
    const attempt = () => {
      try {
        database.exec("pragma writable_schema = on; update sqlite_schema set sql = sql");
        return "written";
      } catch {
        return "refused";
      } finally {
        database.exec("pragma writable_schema = off");
      }
    };
    const before = attempt();
    inTransaction(database, () => migrateNow(database, tables, {}));
    expect(writes(database.ran)).not.toEqual([]);
    expect(() => database.exec("update sqlite_schema set sql = sql")).toThrow("may not be modified");
    expect(attempt()).toBe(before);
  });
});

it("a new store is made with `alter table`: there are no rows to read", () => {
  const database = connect(betterSqlite3(databasePath()));
  inTransaction(database, () => migrateNow(database, tables, {}));
  expect(writes(database.ran)).toEqual([]);
  expect(alters(database.ran).length).toBeGreaterThan(10);
});

/** Pages that the migration of a store with so many ended jobs reads. */
function pagesOf(jobs: number, driver: (path: string) => SqliteDriver<object>): number {
  const database = connect(driver(lastRelease(jobs)));
  database.exec("pragma cache_size = 0; pragma mmap_size = 0");
  const before = pagesRead();
  inTransaction(database, () => migrateNow(database, tables, {}));
  return pagesRead() - before;
}

it.skipIf(process.platform !== "linux").each(["better-sqlite3", "node:sqlite"])(
  "a migration through %s reads as many pages beside 20,000 ended jobs as beside 2,000",
  (name) => {
    const driver = drivers[name] ?? betterSqlite3;
    const few = pagesOf(2_000, driver);
    expect(pagesOf(20_000, driver)).toBeLessThan(few * 1.2);
  },
);
