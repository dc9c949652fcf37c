import { DatabaseSync } from "node:sqlite";
import Database from "better-sqlite3";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/better-sqlite3";
import { CompiledQuery, Kysely, SqliteDialect, type Transaction } from "kysely";
import Libsql from "libsql";
import { drizzleDriver } from "../src/orms/drizzle.ts";
import { kyselyDriver } from "../src/orms/kysely.ts";
import { betterSqlite3Library, nodeSqliteLibrary, type Library } from "./backends.ts";

export type DrizzleTx = Parameters<Parameters<ReturnType<typeof drizzle>["transaction"]>[0]>[0];

const runDrizzle = (tx: DrizzleTx, text: string, values: readonly string[]) => {
  const [first = "", ...rest] = text.split("?").map((part) => sql.raw(part));
  tx.run(sql.join([first, ...rest.flatMap((part, index) => [sql`${values[index]}`, part])]));
};

export const drizzleLibrary: Library<DrizzleTx> = {
  driver: (path) => drizzleDriver(() => drizzle(path)),
  run: runDrizzle,
  open: betterSqlite3Library.open,
};

/** Its types are those of better-sqlite3, whose classes have another name. */
const openLibsql = (path: string) => new Libsql(path) as unknown as Database.Database;

export const drizzleOnLibsqlLibrary: Library<DrizzleTx> = {
  driver: (path) => drizzleDriver(() => drizzle({ client: openLibsql(path) })),
  run: runDrizzle,
  open: openLibsql,
};

export type KyselyTx = Transaction<unknown>;

const runKysely = (tx: KyselyTx, text: string, values: readonly string[]) =>
  tx.executeQuery(CompiledQuery.raw(text, [...values]));

/** A Kysely that only makes queries. */
const kysely = new Kysely<unknown>({ dialect: new SqliteDialect({ database: new Database(":memory:") }) });

export const kyselyLibrary: Library<KyselyTx> = {
  driver: (path) => kyselyDriver(kysely, () => new Database(path)),
  run: runKysely,
  open: betterSqlite3Library.open,
};

export const kyselyOnNodeLibrary: Library<KyselyTx> = {
  driver: (path) => kyselyDriver(kysely, () => new DatabaseSync(path)),
  run: runKysely,
  open: nodeSqliteLibrary.open,
};

export const kyselyOnLibsqlLibrary: Library<KyselyTx> = {
  driver: (path) => kyselyDriver(kysely, () => openLibsql(path)),
  run: runKysely,
  open: openLibsql,
};
