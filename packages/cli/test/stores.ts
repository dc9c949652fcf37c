import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { findBackend } from "@chainwright/backends/vitest";
import { createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { nodeSqlite } from "@chainwright/sqlite/node-sqlite";
import type { StateAdapter } from "chainwright";
import { Pool } from "pg";

/** A store of its own for a test. */
export interface TestStore {
  readonly name: string;
  readonly url: string;
  /** Another adapter on the same store, for the test itself. */
  readonly stateAdapter: StateAdapter;
  /** Every row of every table. */
  dump(): Promise<unknown>;
  close(): Promise<void>;
}

const postgresUrl = await findBackend("postgres");
let made = 0;

async function sqliteStore(): Promise<TestStore> {
  const folder = mkdtempSync(join(tmpdir(), "chainwright-cli-"));
  const file = join(folder, "jobs.db");
  const stateAdapter = createSqliteStateAdapter({ driver: nodeSqlite(file) });
  return {
    name: "sqlite",
    url: `sqlite:${file}`,
    stateAdapter,
    dump: async () => {
      const database = new DatabaseSync(file, { readOnly: true });
      const tables = database.prepare("select name from sqlite_schema where type = 'table' order by name").all();
      const rows = tables.map(({ name }) => [name, database.prepare(`select * from "${String(name)}"`).all()]);
      database.close();
      return rows;
    },
    close: async () => {
      await stateAdapter.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function postgresStore(): Promise<TestStore> {
  const pool = new Pool({ connectionString: postgresUrl, max: 4 });
  const schema = `cli_${process.pid}_${made++}`;
  const stateAdapter = createPostgresStateAdapter({ driver: pg(pool), schema });
  const url = new URL(postgresUrl ?? "");
  url.searchParams.set("schema", schema);
  return {
    name: "postgres",
    url: url.href,
    stateAdapter,
    dump: async () => {
      const { rows } = await pool.query<{ name: string }>(
        "select table_name as name from information_schema.tables where table_schema = $1 and table_type = 'BASE TABLE' order by name",
        [schema],
      );
      const read = async (name: string) =>
        (await pool.query(`select t::text as row from "${schema}"."${name}" t order by 1`)).rows as unknown;
      return await Promise.all(rows.map(async ({ name }) => [name, await read(name)]));
    },
    close: async () => {
      await stateAdapter.close();
      await pool.query(`drop schema if exists "${schema}" cascade`);
      await pool.end();
    },
  };
}

/** The stores on which every command is tested. */
export const stores: readonly {
  readonly name: string;
  readonly make: () => Promise<TestStore>;
  readonly isMissing: boolean;
}[] = [
  { name: "SQLite", make: sqliteStore, isMissing: false },
  { name: "Postgres", make: postgresStore, isMissing: postgresUrl === undefined },
];
