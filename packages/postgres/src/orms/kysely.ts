/**
 * The driver for Kysely on pg, postgres.js and PGlite.
 *
 * @module
 */
import { transactionOn } from "@chainwright/sql-transactions/kysely";
import { ChainwrightError } from "chainwright";
import { CompiledQuery, PostgresIntrospector, type Kysely, type Transaction } from "kysely";
import type { PostgresDriver } from "../driver.ts";
import { connectionOn, type KyselyHandle } from "../drivers/kysely-connection.ts";
import type { PgClient, PgPool } from "../drivers/pg-client.ts";
import type { PGliteDatabase, PGliteQueryable } from "../drivers/pglite-driver.ts";
import { postgresJs, type PostgresJsSql } from "../drivers/postgres-js.ts";
import type { PostgresNotifyDriver } from "../notify/driver.ts";
import { driverOnClient } from "./client-driver.ts";
import { hasMethods, isObject, isPostgresJs, nameOf, valuesOf } from "./clients.ts";

/** What the dialect of a Kysely works on: a pool of pg, a `sql` of postgres.js, or a PGlite. */
type DialectClient = PgPool<PgClient> | PostgresJsSql<KyselyHandle> | PGliteDatabase<PGliteQueryable>;

/**
 * Makes Kysely's transactions the `tx` everywhere: `client.transaction` and handlers open them, and one that the application opened
 * with `db.transaction()` or `db.startTransaction()` can be passed as `tx`. Everything else, LISTEN included, uses the client.
 *
 * On postgres.js the transactions that the driver opens are those of `sql.begin`, with the plugins of `db` but not its `log`. If a
 * connection is lost inside one that the application opened, postgres.js ends the process with an uncaught exception.
 *
 * @param client What Kysely's dialect was created with: a Pool of pg, a `sql` of postgres.js, or a PGlite.
 *
 * @example
 * import { Kysely, PostgresDialect } from "kysely";
 *
 * const db = new Kysely<{ orders: { id: string } }>({ dialect: new PostgresDialect({ pool }) });
 * const driver = kyselyDriver(db, pool);
 * const stateAdapter = createPostgresStateAdapter({ driver });
 * const notifyAdapter = createPostgresNotifyAdapter({ driver });
 */
export function kyselyDriver<DB>(
  db: Kysely<DB>,
  client: DialectClient,
): PostgresDriver<Transaction<DB>> & PostgresNotifyDriver<Transaction<DB>> {
  checkDatabase(db);
  const driver = driverOnClient<Transaction<DB>>(
    client,
    () => ({
      begin: (run) => db.transaction().setIsolationLevel("read committed").execute(run),
      send: async (tx, { text, parameters }) => {
        checkTransaction(tx);
        const { rows } = await tx.withoutPlugins().executeQuery(CompiledQuery.raw(text, [...parameters]));
        return valuesOf(rows);
      },
    }),
    { name: "client" },
  );
  if (!isPostgresJs(client)) return driver;
  // If a connection is lost inside a transaction, postgres.js crashes the process, and Kysely's dialect does not prevent it.
  const guarded = postgresJs(client);
  const transactionOf = (handle: KyselyHandle) =>
    transactionOn(db, connectionOn(handle), (tx) => new PostgresIntrospector(tx));
  return {
    ...driver,
    transaction: (run, limitMs) => guarded.transaction((handle) => run(transactionOf(handle)), limitMs),
  };
}

function checkDatabase(db: unknown): void {
  if (isObject(db) && hasMethods(db, "transaction", "selectFrom")) return;
  throw new ChainwrightError(
    "invalid-input",
    `db must be a Kysely; got ${nameOf(db)}: write kyselyDriver(db, client), with the client of Kysely's dialect`,
  );
}

function checkTransaction(tx: unknown): void {
  if (isObject(tx) && "isTransaction" in tx && tx.isTransaction === true && hasMethods(tx, "withoutPlugins")) return;
  throw new ChainwrightError(
    "invalid-input",
    `tx must be a transaction of Kysely; got ${nameOf(tx)}: pass the tx that client.transaction or db.transaction gives its callback`,
  );
}
