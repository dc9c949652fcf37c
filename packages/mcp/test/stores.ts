import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findBackend } from "@chainwright/backends/vitest";
import { createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { nodeSqlite } from "@chainwright/sqlite/node-sqlite";
import type { StateAdapter } from "chainwright";
import { Pool } from "pg";

/** A store of its own for a test, with its URL for another process. */
export interface TestStore {
  readonly url: string;
  readonly stateAdapter: StateAdapter;
  close(): Promise<void>;
}

const postgresUrl = await findBackend("postgres");
let made = 0;

async function sqliteStore(): Promise<TestStore> {
  const folder = mkdtempSync(join(tmpdir(), "chainwright-mcp-"));
  const file = join(folder, "jobs.db");
  const stateAdapter = createSqliteStateAdapter({ driver: nodeSqlite(file) });
  await stateAdapter.migrate();
  return {
    url: `sqlite:${file}`,
    stateAdapter,
    close: async () => {
      await stateAdapter.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function postgresStore(): Promise<TestStore> {
  const pool = new Pool({ connectionString: postgresUrl, max: 4 });
  const schema = `mcp_${process.pid}_${made++}`;
  const stateAdapter = createPostgresStateAdapter({ driver: pg(pool), schema });
  await stateAdapter.migrate();
  const url = new URL(postgresUrl ?? "");
  url.searchParams.set("schema", schema);
  return {
    url: url.href,
    stateAdapter,
    close: async () => {
      await stateAdapter.close();
      await pool.query(`drop schema if exists "${schema}" cascade`);
      await pool.end();
    },
  };
}

/** The stores on which every tool is tested. */
export const stores = [
  { name: "SQLite", make: sqliteStore, isMissing: false },
  { name: "Postgres", make: postgresStore, isMissing: postgresUrl === undefined },
];
