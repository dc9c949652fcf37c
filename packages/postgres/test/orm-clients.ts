import { PrismaPg } from "@prisma/adapter-pg";
import { getPrismaClient } from "@prisma/client/runtime/client";
import { sql } from "drizzle-orm";
import { drizzle as drizzlePg } from "drizzle-orm/node-postgres";
import { drizzle as drizzlePostgresJs } from "drizzle-orm/postgres-js";
import knexOf from "knex";
import { CompiledQuery, Kysely, PostgresDialect } from "kysely";
import { Pool, type ClientBase } from "pg";
import postgres from "postgres";
import { pg } from "../src/drivers/pg.ts";
import { postgresJs } from "../src/drivers/postgres-js.ts";
import { withTransactions, type PostgresDriver, type PostgresTransactions } from "../src/index.ts";

/** An ORM or query builder as an application uses it. */
export interface Orm<Tx> extends Pick<PostgresTransactions<Tx>, "begin"> {
  readonly driver: PostgresDriver<Tx>;
  /** Runs SQL of the application inside a transaction. */
  execute(tx: Tx, text: string): Promise<unknown>;
  end(): Promise<void>;
}

export type OpenOrm<Tx> = (url: string) => Orm<Tx>;

export const openKysely = (url: string) => {
  const pool = new Pool({ connectionString: url, max: 12 });
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  type Tx = Parameters<Parameters<ReturnType<typeof db.transaction>["execute"]>[0]>[0];
  const transactions: PostgresTransactions<Tx> = {
    begin: (run) => db.transaction().setIsolationLevel("read committed").execute(run),
    query: async (tx, text, parameters) =>
      (await tx.withoutPlugins().executeQuery<object>(CompiledQuery.raw(text, parameters))).rows,
  };
  return {
    begin: transactions.begin,
    driver: withTransactions(pg(pool), transactions),
    execute: (tx, text) => tx.executeQuery(CompiledQuery.raw(text)),
    end: () => db.destroy(),
  } satisfies Orm<Tx>;
};

export const openDrizzle = (url: string) => {
  const pool = new Pool({ connectionString: url, max: 12 });
  const db = drizzlePg({ client: pool });
  type Tx = Parameters<Parameters<typeof db.transaction>[0]>[0];
  const transactions: PostgresTransactions<Tx> = {
    begin: (run) => db.transaction(run, { isolationLevel: "read committed" }),
    query: async (tx, text, params) =>
      (await tx._.session.prepareQuery<DrizzleRows>({ sql: text, params }, undefined, undefined, false).execute()).rows,
  };
  return {
    begin: transactions.begin,
    driver: withTransactions(pg(pool), transactions),
    execute: (tx, text) => tx.execute(sql.raw(text)),
    end: () => pool.end(),
  } satisfies Orm<Tx>;
};

interface DrizzleRows {
  execute: { rows: object[] };
  all: unknown;
  values: unknown;
}

export const openDrizzleOnPostgresJs = (url: string) => {
  const client = postgres(url, { max: 12, onnotice: () => {} });
  const db = drizzlePostgresJs({ client });
  type Tx = Parameters<Parameters<typeof db.transaction>[0]>[0];
  const transactions: PostgresTransactions<Tx> = {
    begin: (run) => db.transaction(run, { isolationLevel: "read committed" }),
    query: (tx, text, params) =>
      tx._.session.prepareQuery<PostgresJsRows>({ sql: text, params }, undefined, undefined, false).execute(),
  };
  return {
    begin: transactions.begin,
    driver: withTransactions(postgresJs(client), transactions),
    execute: (tx, text) => tx.execute(sql.raw(text)),
    end: () => client.end(),
  } satisfies Orm<Tx>;
};

interface PostgresJsRows {
  execute: object[];
  all: unknown;
  values: unknown;
}

export const openKnex = (url: string) => {
  const pool = new Pool({ connectionString: url, max: 12 });
  const knex = knexOf({ client: "pg", connection: url, pool: { min: 0, max: 12 } });
  type Tx = Parameters<Parameters<typeof knex.transaction>[0]>[0];
  const transactions: PostgresTransactions<Tx> = {
    begin: (run) => knex.transaction(run, { isolationLevel: "read committed" }),
    query: async (tx, text, values) => {
      const connection = await (tx.client as KnexClient).acquireConnection();
      return (await connection.query({ text, values, rowMode: "array" })).rows;
    },
  };
  return {
    begin: transactions.begin,
    driver: withTransactions(pg(pool), transactions),
    execute: (tx, text) => tx.raw(text),
    end: async () => {
      await knex.destroy();
      await pool.end();
    },
  } satisfies Orm<Tx>;
};

/** The client of a transaction, which the types of Knex do not have. */
interface KnexClient {
  acquireConnection(): Promise<ClientBase>;
}

/** The generated description of a Prisma schema; this one has no models. */
const prismaConfig: Parameters<typeof getPrismaClient>[0] = {
  previewFeatures: [],
  clientVersion: "7.10.0",
  engineVersion: "",
  activeProvider: "postgresql",
  inlineSchema: 'generator client { provider = "prisma-client" }\ndatasource db { provider = "postgresql" }',
  runtimeDataModel: { models: {}, enums: {}, types: {} },
  parameterizationSchema: { strings: [], graph: "AAAA" },
  compilerWasm: {
    getRuntime: () => import("@prisma/client/runtime/query_compiler_fast_bg.postgresql.mjs"),
    getQueryCompilerWasmModule: async () => {
      const { wasm } = await import("@prisma/client/runtime/query_compiler_fast_bg.postgresql.wasm-base64.mjs");
      return new WebAssembly.Module(Buffer.from(wasm, "base64"));
    },
    importName: "./query_compiler_fast_bg.js",
  },
};

export interface PrismaTx {
  $queryRawUnsafe<T>(text: string, ...values: unknown[]): PromiseLike<T>;
  $executeRawUnsafe(text: string): Promise<unknown>;
}

export const openPrisma = (url: string) => {
  const pool = new Pool({ connectionString: url, max: 12 });
  const prisma = new (getPrismaClient(prismaConfig))({ adapter: new PrismaPg(pool), errorFormat: "minimal" });
  const transactions: PostgresTransactions<PrismaTx> = {
    begin: (run) => prisma.$transaction(run, { isolationLevel: "ReadCommitted" }),
    query: (tx, text, parameters) => tx.$queryRawUnsafe<object[]>(text, ...parameters),
  };
  return {
    begin: transactions.begin,
    driver: withTransactions(pg(pool), transactions),
    execute: (tx, text) => tx.$executeRawUnsafe(text),
    end: async () => {
      await prisma.$disconnect();
      await pool.end();
    },
  } satisfies Orm<PrismaTx>;
};
