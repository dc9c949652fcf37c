import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { provideBackend } from "@chainwright/backends";
import { createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { betterSqlite3 } from "@chainwright/sqlite/better-sqlite3";
import type { StateAdapter } from "chainwright";
import { Pool } from "pg";

/** A store for the run, empty. */
export interface Store {
  readonly adapter: StateAdapter;
  /** What a server does by itself after a while: its statistics are up to date. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export async function openStore(name: string): Promise<Store> {
  if (name === "sqlite") return await openSqlite();
  if (name === "postgres") return await openPostgres();
  throw new Error(`there is no store ${name}: sqlite, postgres`);
}

async function openSqlite(): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), "chainwright-bench-dashboard-"));
  const driver = betterSqlite3(join(folder, "jobs.db"));
  const adapter = createSqliteStateAdapter({ driver, durability: "off" });
  await adapter.migrate();
  return {
    adapter,
    settle: async () => undefined,
    close: async () => {
      await adapter.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function openPostgres(): Promise<Store> {
  const server = await provideBackend("postgres");
  const pool = new Pool({ connectionString: server.url });
  // The server ends before the last idle connection has noticed.
  pool.on("error", () => undefined);
  const schema = `dashboard_${process.pid}`;
  const adapter = createPostgresStateAdapter({ driver: pg(pool), schema });
  await adapter.migrate();
  return {
    adapter,
    settle: async () => void (await pool.query(`vacuum analyze`)),
    close: async () => {
      await pool.query(`drop schema "${schema}" cascade`);
      await adapter.close();
      await pool.end();
      await server.server?.stop();
    },
  };
}
