import type { PGlite, Transaction } from "@electric-sql/pglite";
import { drizzle } from "drizzle-orm/node-postgres";
import { Kysely, type Dialect, type Transaction as KyselyTransaction } from "kysely";
import type { Pool, PoolClient } from "pg";
import type { Sql, TransactionSql } from "postgres";
import { expectTypeOf, test } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { pglite } from "../src/drivers/pglite.ts";
import { postgresJs } from "../src/drivers/postgres-js.ts";
import { createPostgresStateAdapter, withTransactions } from "../src/index.ts";

declare const pool: Pool;
declare const sql: Sql;
declare const db: PGlite;
declare const declared: Dialect;

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

interface Tables {
  readonly orders: { readonly id: string };
}

test("tx is the ORM's own handle", () => {
  const kysely = new Kysely<Tables>({ dialect: declared });
  const onKysely = withTransactions<KyselyTransaction<Tables>>(pg(pool), {
    begin: (run) => kysely.transaction().execute(run),
    query: async (tx, text, parameters) => {
      expectTypeOf(tx).toEqualTypeOf<KyselyTransaction<Tables>>();
      return [[text], parameters];
    },
  });
  createPostgresStateAdapter({ driver: onKysely }).transaction(async (tx) => {
    expectTypeOf(tx).toEqualTypeOf<KyselyTransaction<Tables>>();
  });
  const orm = drizzle({ client: pool });
  const onDrizzle = withTransactions<Parameters<Parameters<typeof orm.transaction>[0]>[0]>(pg(pool), {
    begin: (run) => orm.transaction(run),
    query: async () => [],
  });
  createPostgresStateAdapter({ driver: onDrizzle }).transaction(async (tx) => {
    expectTypeOf(tx.insert).toEqualTypeOf<typeof orm.insert>();
  });
});
