import { PGlite, type Transaction } from "@electric-sql/pglite";
import { Pool, type PoolClient } from "pg";
import postgres from "postgres";
import type { TransactionSql } from "postgres";
import { pg } from "../src/drivers/pg.ts";
import { pglite } from "../src/drivers/pglite.ts";
import { postgresJs } from "../src/drivers/postgres-js.ts";
import type { PostgresDriver } from "../src/index.ts";

/** A client library as an application uses it, and the driver for it. */
export interface Client<Tx> {
  /** A new driver on the same pool. */
  driver(): PostgresDriver<Tx>;
  /** Runs SQL outside the library, with one column of texts as its result. */
  execute(sql: string): Promise<readonly string[]>;
  /** The same inside a transaction. */
  executeIn(tx: Tx, sql: string): Promise<readonly string[]>;
  end(): Promise<void>;
}

/** Settings of a role or database on which no reply may depend. */
const oddSettings = "-c extra_float_digits=-15 -c DateStyle=German -c TimeZone=Asia/Kathmandu -c bytea_output=escape";

/** Sets unusual settings. */
export function openPgWithOddSettings(url: string, max: number): Client<PoolClient> {
  return openPg(url, max, oddSettings);
}

export function openPg(url: string, max: number, options?: string): Client<PoolClient> {
  // A connection that is idle for too long sends a message when it closes, which tests that count messages must not see.
  const pool = new Pool({ connectionString: url, max, options, idleTimeoutMillis: 0 });
  const run = async (on: Pool | PoolClient, sql: string) => {
    const { rows } = await on.query<string[]>({ text: sql, rowMode: "array" });
    return rows.map((row) => String(row[0]));
  };
  return {
    driver: () => pg(pool),
    execute: (sql) => run(pool, sql),
    executeIn: run,
    end: () => pool.end(),
  };
}

export function openPostgresJs(url: string, max: number): Client<TransactionSql> {
  const sql = postgres(url, { max, onnotice: () => {} });
  const run = async (on: Pick<TransactionSql, "unsafe">, text: string) =>
    (await on.unsafe<Record<string, unknown>[]>(text)).map((row) => String(Object.values(row)[0]));
  return {
    driver: () => postgresJs(sql),
    execute: (text) => run(sql, text),
    executeIn: run,
    end: () => sql.end(),
  };
}

export interface PGliteClient extends Client<Transaction> {
  readonly database: PGlite;
}

export async function openPGlite(): Promise<PGliteClient> {
  const db = await PGlite.create();
  const run = async (on: Pick<Transaction, "query">, sql: string) =>
    (await on.query<unknown[]>(sql, [], { rowMode: "array" })).rows.map((row) => String(row[0]));
  return {
    database: db,
    driver: () => pglite(db),
    execute: (sql) => run(db, sql),
    executeIn: run,
    end: () => db.close(),
  };
}
