import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { emptyingSchemaOn } from "@chainwright/backends/empty-schema";
import { createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { betterSqlite3 } from "@chainwright/sqlite/better-sqlite3";
import Database from "better-sqlite3";
import { Pool, type PoolClient } from "pg";
import { withoutNewFields } from "./known-fields.ts";
import type { Adapters, Backend, LastRelease } from "./last-release.ts";

/** Empty stores that the last release created and this one migrated. */
export interface MixedStores<Tx> {
  /** A store for one case, with an adapter of the last release; `connect` opens one of this release. */
  readonly take: () => Promise<Backend<Tx>>;
  readonly end: () => Promise<void>;
}

const present: Adapters = { createPostgresStateAdapter, pg, createSqliteStateAdapter, betterSqlite3 };

export function sqliteStores(last: LastRelease, folder: string): MixedStores<Database.Database> {
  const open = ({ createSqliteStateAdapter: create, betterSqlite3: driver }: Adapters, path: string) =>
    create({ driver: driver(path), durability: "off" });
  const made = join(folder, "migrated.sqlite");
  const migrating = (async () => {
    for (const adapters of [last, present]) {
      const adapter = open(adapters, made);
      await adapter.migrate();
      await adapter.close();
      // Columns are added in another way to tables with rows.
      if (adapters === last) changeTables(made, fillTable);
    }
    changeTables(made, (database, table) => database.exec(`delete from ${table}`));
  })();
  let count = 0;
  return {
    take: async () => {
      await migrating;
      count += 1;
      const path = join(folder, `${count}.sqlite`);
      copyFileSync(made, path);
      const own = new Database(path);
      own.exec("pragma synchronous = off; create table effect (key text not null, value text not null)");
      own.exec("update chainwright_meta set value = lower(hex(randomblob(16))) where key = 'store_id'");
      return {
        adapter: open(last, path),
        connect: async () => withoutNewFields(open(present, path)),
        userTable: {
          write: async (tx, key, value) =>
            void tx.prepare("insert into effect (key, value) values (?, ?)").run(key, value),
          read: async (key) => own.prepare<[string], string>("select value from effect where key = ?").pluck().all(key),
        },
        close: async () => void own.close(),
      };
    },
    end: async () => {},
  };
}

function changeTables(path: string, change: (database: Database.Database, table: string) => void): void {
  const database = new Database(path);
  const named =
    "select name from sqlite_schema where type = 'table' and name glob 'chainwright_*' and name not glob '*_meta'";
  for (const table of database.prepare<[], string>(named).pluck().all()) change(database, table);
  database.close();
}

function fillTable(database: Database.Database, table: string): void {
  const { length } = database.pragma(`table_info(${table})`) as unknown[];
  database.exec(`insert into ${table} values (${Array<string>(length).fill("1").join(", ")})`);
}

export function postgresStores(last: LastRelease, url: string, prefix: string): MixedStores<PoolClient> {
  const pool = new Pool({ connectionString: url, max: 12 });
  const free: { readonly schema: string; readonly emptying: string }[] = [];
  const all: string[] = [];
  const open = ({ createPostgresStateAdapter: create, pg: driver }: Adapters, schema: string) =>
    create({ driver: driver(pool), schema });
  const create = async () => {
    const schema = `${prefix}_${process.pid}_${all.length}`;
    all.push(schema);
    for (const adapters of [last, present]) await open(adapters, schema).migrate();
    await pool.query(`create table ${schema}.user_table (key text not null, value text not null)`);
    return { schema, emptying: await emptyingSchemaOn(pool, schema) };
  };
  return {
    take: async () => {
      const taken = free.pop() ?? (await create());
      const { schema } = taken;
      return {
        adapter: open(last, schema),
        connect: async () => withoutNewFields(open(present, schema)),
        userTable: {
          write: async (tx, key, value) =>
            void (await tx.query(`insert into ${schema}.user_table values ($1, $2)`, [key, value])),
          read: async (key) => {
            const { rows } = await pool.query<{ value: string }>(
              `select value from ${schema}.user_table where key = $1`,
              [key],
            );
            return rows.map(({ value }) => value);
          },
        },
        close: async () => {
          await pool.query(taken.emptying);
          free.push(taken);
        },
      };
    },
    end: async () => {
      for (const schema of all) await pool.query(`drop schema if exists ${schema} cascade`);
      await pool.end();
    },
  };
}
