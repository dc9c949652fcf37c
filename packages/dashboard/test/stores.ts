import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findBackend } from "@chainwright/backends/vitest";
import { createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { nodeSqlite } from "@chainwright/sqlite/node-sqlite";
import { createInProcessStateAdapter, type StateAdapter } from "chainwright";
import { Pool } from "pg";
import { onTestFinished } from "vitest";

const postgresUrl = await findBackend("postgres");
let opened = 0;

/** The stores on which dashboards are tested. Each call of `open` makes an empty one that ends with the test. */
export const stores: readonly { readonly name: string; readonly isMissing: boolean; open(): Promise<StateAdapter> }[] =
  [
    { name: "in process", isMissing: false, open: async () => await ready(createInProcessStateAdapter()) },
    { name: "on SQLite", isMissing: false, open: openSqlite },
    { name: "on Postgres", isMissing: postgresUrl === undefined, open: openPostgres },
  ];

async function openSqlite(): Promise<StateAdapter> {
  const folder = mkdtempSync(join(tmpdir(), "chainwright-dashboard-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return await ready(createSqliteStateAdapter({ driver: nodeSqlite(join(folder, "jobs.db")), durability: "off" }));
}

async function openPostgres(): Promise<StateAdapter> {
  const pool = new Pool({ connectionString: postgresUrl });
  const schema = `dashboard_${process.pid}_${opened++}`;
  onTestFinished(async () => {
    await pool.query(`drop schema if exists ${schema} cascade`);
    await pool.end();
  });
  return await ready(createPostgresStateAdapter({ driver: pg(pool), schema }));
}

async function ready(stateAdapter: StateAdapter): Promise<StateAdapter> {
  onTestFinished(() => stateAdapter.close());
  await stateAdapter.migrate();
  return stateAdapter;
}
