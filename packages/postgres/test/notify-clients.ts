import { Pool } from "pg";
import postgres from "postgres";
import { pg } from "../src/drivers/pg.ts";
import { postgresJs } from "../src/drivers/postgres-js.ts";
import type { PostgresNotifyDriver } from "../src/index.ts";

/** A pool as an application would open it, and its driver. */
export interface OpenedClient {
  readonly driver: PostgresNotifyDriver;
  /** Returns rows. */
  query(text: string, parameters?: string[]): Promise<readonly unknown[]>;
  close(): Promise<void>;
}

/** Opens a pool. Its connections, and those that are made like them, have this application name. */
export type OpenClient = (url: string, name: string, size?: number) => Promise<OpenedClient>;

export const openPg: OpenClient = async (url, name, size = 2) => {
  const pool = new Pool({ connectionString: url, application_name: name, max: size });
  return {
    driver: pg(pool),
    query: async (text, parameters) => (await pool.query<object>(text, parameters)).rows,
    close: () => pool.end(),
  };
};

export const openPostgresJs: OpenClient = async (url, name, size = 2) => {
  const sql = postgres(url, { connection: { application_name: name }, max: size, onnotice: () => {} });
  return {
    driver: postgresJs(sql),
    // Sent at once, not when it is awaited.
    query: async (text, parameters) => await sql.unsafe(text, parameters),
    close: () => sql.end({ timeout: 0 }),
  };
};
