import type { PGlite } from "@electric-sql/pglite";
import { sql } from "drizzle-orm";
import { drizzle as drizzlePg } from "drizzle-orm/node-postgres";
import { drizzle as drizzlePGlite } from "drizzle-orm/pglite";
import { drizzle as drizzlePostgresJs } from "drizzle-orm/postgres-js";
import createKnex, { type Knex } from "knex";
import { CompiledQuery, Kysely, PGliteDialect, PostgresDialect, type Transaction } from "kysely";
import { PostgresJSDialect } from "kysely-postgres-js";
import { Pool } from "pg";
import postgres from "postgres";
import type { PostgresDriver, PostgresNotifyDriver } from "../src/index.ts";
import { drizzleDriver } from "../src/orms/drizzle.ts";
import { knexDriver } from "../src/orms/knex.ts";
import { kyselyDriver } from "../src/orms/kysely.ts";

/** An ORM or query builder as an application uses it. */
export interface Orm<Tx> {
  readonly driver: PostgresDriver<Tx> & PostgresNotifyDriver<Tx>;
  /** Opens a transaction as the application does. */
  begin<T>(run: (tx: Tx) => Promise<T>): Promise<T>;
  /** Runs SQL of the application inside a transaction. */
  execute(tx: Tx, text: string): Promise<unknown>;
  /** Reads rows inside a transaction. */
  rows(tx: Tx, text: string): Promise<readonly object[]>;
  /** Opens a transaction inside a transaction, if the library can. */
  nested?(tx: Tx, run: (inner: Tx) => Promise<void>): Promise<unknown>;
  end(): Promise<void>;
}

export type OpenOrm<Tx> = (url: string, max?: number) => Orm<Tx>;

async function readKysely(tx: Transaction<unknown>, text: string): Promise<readonly object[]> {
  return (await tx.executeQuery<object>(CompiledQuery.raw(text))).rows;
}

export const openKysely = (url: string, max = 12) => {
  const pool = new Pool({ connectionString: url, max });
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  return {
    begin: (run) => db.transaction().execute(run),
    driver: kyselyDriver(db, pool),
    execute: (tx, text) => tx.executeQuery(CompiledQuery.raw(text)),
    rows: readKysely,
    end: () => db.destroy(),
  } satisfies Orm<Transaction<unknown>>;
};

export const openKyselyOnPostgresJs = (url: string, max = 12) => {
  const client = postgres(url, { max, onnotice: () => {} });
  const db = new Kysely<unknown>({ dialect: new PostgresJSDialect({ postgres: client }) });
  return {
    begin: (run) => db.transaction().execute(run),
    driver: kyselyDriver(db, client),
    execute: (tx, text) => tx.executeQuery(CompiledQuery.raw(text)),
    rows: readKysely,
    end: () => client.end({ timeout: 1 }),
  } satisfies Orm<Transaction<unknown>>;
};

export const openKyselyOnPGlite = (database: PGlite) => {
  const db = new Kysely<unknown>({ dialect: new PGliteDialect({ pglite: database }) });
  return {
    begin: (run) => db.transaction().execute(run),
    driver: kyselyDriver(db, database),
    execute: (tx, text) => tx.executeQuery(CompiledQuery.raw(text)),
    rows: readKysely,
    end: () => database.close(),
  } satisfies Orm<Transaction<unknown>>;
};

export const openDrizzleOnPGlite = (database: PGlite) => {
  const db = drizzlePGlite({ client: database });
  type Tx = Parameters<Parameters<typeof db.transaction>[0]>[0];
  return {
    begin: (run) => db.transaction(run),
    driver: drizzleDriver(db),
    execute: (tx, text) => tx.execute(sql.raw(text)),
    rows: async (tx, text) => (await tx.execute(sql.raw(text))).rows,
    nested: (tx, run) => tx.transaction(run),
    end: () => database.close(),
  } satisfies Orm<Tx>;
};

export const openDrizzle = (url: string, max = 12) => {
  const db = drizzlePg({ connection: { connectionString: url, max } });
  type Tx = Parameters<Parameters<typeof db.transaction>[0]>[0];
  return {
    begin: (run) => db.transaction(run),
    driver: drizzleDriver(db),
    execute: (tx, text) => tx.execute(sql.raw(text)),
    rows: async (tx, text) => (await tx.execute(sql.raw(text))).rows,
    nested: (tx, run) => tx.transaction(run),
    end: () => db.$client.end(),
  } satisfies Orm<Tx>;
};

export const openDrizzleOnPostgresJs = (url: string, max = 12) => {
  const db = drizzlePostgresJs({ connection: { url, max, onnotice: () => {} } });
  type Tx = Parameters<Parameters<typeof db.transaction>[0]>[0];
  return {
    begin: (run) => db.transaction(run),
    driver: drizzleDriver(db),
    execute: (tx, text) => tx.execute(sql.raw(text)),
    rows: async (tx, text) => tx.execute(sql.raw(text)),
    nested: (tx, run) => tx.transaction(run),
    // Without a limit, postgres.js waits forever after a connection was lost inside a transaction.
    end: () => db.$client.end({ timeout: 1 }),
  } satisfies Orm<Tx>;
};

export const openKnex = (url: string, max = 12) => {
  const knex = createKnex({ client: "pg", connection: url, pool: { min: 0, max } });
  return {
    begin: (run) => knex.transaction(run),
    driver: knexDriver(knex),
    execute: (tx, text) => tx.raw(text),
    rows: async (tx, text) => (await tx.raw<{ rows: object[] }>(text)).rows,
    nested: (tx, run) => tx.transaction(run),
    end: () => knex.destroy(),
  } satisfies Orm<Knex.Transaction>;
};
