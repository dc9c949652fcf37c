import type { PGlite } from "@electric-sql/pglite";
import { Pool } from "pg";
import postgres from "postgres";
import { pg } from "../src/drivers/pg.ts";
import { pglite } from "../src/drivers/pglite.ts";
import { postgresJs } from "../src/drivers/postgres-js.ts";
import type { PostgresNotifyDriver } from "../src/index.ts";
import type { OpenOrm } from "./orm-clients.ts";

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

/** The same with the driver of an ORM. */
export function withOrm<Tx>(open: OpenOrm<Tx>): OpenClient {
  return async (url, name, size = 2) => {
    const named = new URL(url);
    named.searchParams.set("application_name", name);
    const { driver, end } = open(named.href, size);
    return {
      driver,
      query: (text, parameters = []) => driver.query({ text, parameters, prepare: false }, undefined),
      close: end,
    };
  };
}

/** The one connection of a PGlite, which the test closes. */
export function onPGlite(database: PGlite): OpenClient {
  return async () => ({
    driver: pglite(database),
    query: async (text, parameters) => (await database.query(text, parameters)).rows,
    close: async () => {},
  });
}
