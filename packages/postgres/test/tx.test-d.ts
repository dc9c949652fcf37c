import type { PGlite, Transaction } from "@electric-sql/pglite";
import type { Pool, PoolClient } from "pg";
import type { Sql, TransactionSql } from "postgres";
import { expectTypeOf, test } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { pglite } from "../src/drivers/pglite.ts";
import { postgresJs } from "../src/drivers/postgres-js.ts";
import { createPostgresStateAdapter } from "../src/index.ts";

declare const pool: Pool;
declare const sql: Sql;
declare const db: PGlite;

test("tx is the client's own handle", () => {
  createPostgresStateAdapter({ driver: pg(pool) }).transaction(async (tx) => {
    expectTypeOf(tx).toEqualTypeOf<PoolClient>();
  });
  createPostgresStateAdapter({ driver: postgresJs(sql) }).transaction(async (tx) => {
    expectTypeOf(tx).toEqualTypeOf<TransactionSql>();
  });
  createPostgresStateAdapter({ driver: pglite(db) }).transaction(async (tx) => {
    expectTypeOf(tx).toEqualTypeOf<Transaction>();
  });
});
