import { findBackend } from "@chainwright/backends/vitest";
import { Client, Pool, type PoolClient } from "pg";
import postgres from "postgres";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { postgresJs } from "../src/drivers/postgres-js.ts";
import { createPostgresStateAdapter, type PostgresDriver } from "../src/index.ts";

export const url = await findBackend("postgres");
export const application = `limits ${process.pid}`;
export const schema = `limits ${process.pid}`;

/** An application with one connection, if its library supports a pool of one. */
export interface Application<Tx> {
  readonly driver: PostgresDriver<Tx>;
  execute(tx: Tx, sql: string): PromiseLike<unknown>;
  end(): Promise<unknown>;
}

export const openPg = (at: string) => {
  const pool = new Pool({ connectionString: at, max: 1, application_name: application });
  return {
    driver: pg(pool),
    execute: (tx, sql) => tx.query(sql),
    end: () => pool.end(),
  } satisfies Application<PoolClient>;
};
export const openPostgresJs = (at: string) => {
  const connection = { application_name: application };
  const sql = postgres(at, { max: 1, onnotice: () => {}, connection });
  return {
    driver: postgresJs(sql),
    execute: (tx, text) => tx.unsafe(text),
    end: () => sql.end({ timeout: 1 }),
  } satisfies Application<postgres.TransactionSql>;
};

/** Makes a store before the tests and drops it afterwards. Returns a connection of the tests' own, which is open meanwhile. */
export function prepareStore(): Client {
  const control = new Client({ connectionString: url });
  beforeAll(async () => {
    await control.connect();
    const migrating = openPg(url ?? "");
    await createPostgresStateAdapter({ driver: migrating.driver, schema }).migrate();
    await migrating.end();
  });
  afterAll(async () => {
    // A call that was abandoned may still run on the server, and would be in a deadlock with the drop.
    await vi.waitFor(async () => expect(await countSessions(control, "true")).toBe(0), { timeout: 20_000 });
    await control.query(`drop schema "${schema}" cascade`);
    await control.end();
  });
  return control;
}

/** Counts the sessions of the applications that match a condition. */
export async function countSessions(control: Client, condition: string): Promise<number> {
  const { rowCount } = await control.query(
    `select from pg_stat_activity where application_name = $1 and ${condition}`,
    [application],
  );
  return rowCount ?? 0;
}
