/**
 * The driver for Kysely on better-sqlite3, node:sqlite and libsql.
 *
 * @module
 */
import { transactionOn } from "@chainwright/sql-transactions/kysely";
import { ChainwrightError } from "chainwright";
import { SqliteIntrospector, type Kysely, type Transaction } from "kysely";
import type { SqliteDriver } from "../driver.ts";
import { connectionOn } from "../drivers/kysely-connection.ts";
import { driverOnClient, isSqliteClient, nameOf, refusal, type SqliteClient } from "./client.ts";

/**
 * Makes Kysely's transactions the `tx` everywhere: `client.transaction` and handlers get them, and one that the application opened
 * with `db.transaction()` or `db.startTransaction()` on the same client can be passed as `tx`.
 *
 * @param client The database of better-sqlite3, node:sqlite or libsql with which Kysely's dialect was created: the driver uses that
 * one connection and does not change its settings. Or a function that opens one: the driver opens connections of its own with it,
 * which the adapter closes; that is faster, and statements of the application outside of `tx` are not part of open transactions.
 *
 * @example
 * import Database from "better-sqlite3";
 * import { Kysely, SqliteDialect } from "kysely";
 * import { kyselyDriver } from "@chainwright/sqlite/kysely";
 *
 * const open = () => new Database("shop.db");
 * const db = new Kysely<{ orders: { id: string } }>({ dialect: new SqliteDialect({ database: open() }) });
 * const stateAdapter = createSqliteStateAdapter({ driver: kyselyDriver(db, open) });
 */
export function kyselyDriver<DB>(
  db: Kysely<DB>,
  client: SqliteClient | (() => SqliteClient),
): SqliteDriver<Transaction<DB>> {
  checkDatabase(db);
  if (typeof client !== "function") checkClient(client);
  const driver = driverOnClient<SqliteClient, Transaction<DB>>(client, {
    clientOf: checkClient,
    handleOf: (opened) => transactionOn(db, connectionOn(opened), (tx) => new SqliteIntrospector(tx)),
  });
  return { ...driver, isOpen: (tx) => isOpen(tx, db) };
}

function checkDatabase(db: unknown): void {
  if (typeof db === "object" && db !== null && "getExecutor" in db && "selectFrom" in db) return;
  throw new ChainwrightError(
    "invalid-input",
    `db must be a Kysely; got ${nameOf(db)}: write kyselyDriver(db, client), with the client of Kysely's dialect`,
  );
}

function checkClient(client: unknown): SqliteClient {
  if (isSqliteClient(client)) return client;
  throw refusal("client", client);
}

/** Whether it is a transaction of this Kysely that has not ended. */
function isOpen<DB>(tx: Transaction<DB>, db: Kysely<DB>): boolean {
  if (!("getExecutor" in tx) || !tx.isTransaction) return false;
  const executor = tx.getExecutor();
  // All copies of a Kysely, its transactions included, have its adapter.
  if (executor.adapter !== db.getExecutor().adapter) return false;
  try {
    // Throws at once if the transaction has ended.
    executor.provideConnection(async () => undefined).catch(() => undefined);
    return true;
  } catch {
    return false;
  }
}
