import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { provideBackend } from "@chainwright/backends";
import { createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { betterSqlite3 } from "@chainwright/sqlite/better-sqlite3";
import type { StateAdapter } from "chainwright";
import { Pool } from "pg";

/** A store for the run: empty, or filled by an earlier run that kept it. */
export interface Store {
  readonly adapter: StateAdapter;
  /** The CPU time that a server of the store has used for this process, in milliseconds; NaN where the system does not report it. */
  readonly serverCpuMs: () => number;
  /** What a server does by itself after a while: its statistics are up to date. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export async function openStore(name: string, keep: string | undefined): Promise<Store> {
  if (name === "sqlite") return await openSqlite(keep);
  if (name === "postgres") return await openPostgres(keep);
  throw new Error(`there is no store ${name}: sqlite, postgres`);
}

async function openSqlite(keep: string | undefined): Promise<Store> {
  if (keep !== undefined) mkdirSync(keep, { recursive: true });
  const folder = keep ?? mkdtempSync(join(tmpdir(), "chainwright-bench-dashboard-"));
  const driver = betterSqlite3(join(folder, "jobs.db"));
  const adapter = createSqliteStateAdapter({ driver, durability: "off" });
  await adapter.migrate();
  return {
    adapter,
    serverCpuMs: () => 0,
    settle: async () => undefined,
    close: async () => {
      await adapter.close();
      if (keep === undefined) rmSync(folder, { recursive: true });
    },
  };
}

async function openPostgres(keep: string | undefined): Promise<Store> {
  const server = await provideBackend("postgres");
  // Without parallel workers, all CPU of a statement is that of its connection.
  const pool = new Pool({
    connectionString: server.url,
    idleTimeoutMillis: 0,
    options: "-c max_parallel_workers_per_gather=0",
  });
  // The server ends before the last idle connection has noticed.
  pool.on("error", () => undefined);
  const connections: number[] = [];
  pool.on("connect", (client) => void connections.push(pidOf(client)));
  const schema = keep === undefined ? `dashboard_${process.pid}` : "dashboard_kept";
  const adapter = createPostgresStateAdapter({ driver: pg(pool), schema });
  await adapter.migrate();
  return {
    adapter,
    serverCpuMs: () => connections.reduce((sum, pid) => sum + cpuMsOf(pid), 0),
    settle: async () => void (await pool.query(`vacuum analyze`)),
    close: async () => {
      if (keep === undefined) await pool.query(`drop schema "${schema}" cascade`);
      await adapter.close();
      await pool.end();
      await server.server?.stop();
    },
  };
}

/** The process of the server behind a connection; `pg` does not declare it. */
function pidOf(client: object): number {
  return "processID" in client && typeof client.processID === "number" ? client.processID : Number.NaN;
}

/** The time that a process of this machine ran, see proc(5). */
function cpuMsOf(pid: number): number {
  const file = `/proc/${pid}/schedstat`;
  return existsSync(file) ? Number(readFileSync(file, "utf8").split(" ")[0]) / 1e6 : Number.NaN;
}
