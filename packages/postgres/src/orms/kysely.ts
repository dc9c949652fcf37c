/**
 * The driver for Kysely on pg, postgres.js and PGlite.
 *
 * @module
 */
import { ChainwrightError } from "chainwright";
import { CompiledQuery } from "kysely";
import type { PostgresDriver } from "../driver.ts";
import type { PostgresNotifyDriver } from "../notify/driver.ts";
import { driverOnClient, type OrmClient } from "./client-driver.ts";
import { hasMethods, isObject, nameOf, valuesOf } from "./clients.ts";

/** What the driver uses of a Kysely. */
interface KyselyDatabase<Tx> {
  transaction(): {
    setIsolationLevel(level: "read committed"): { execute<T>(run: (tx: Tx) => Promise<T>): Promise<T> };
  };
}

/** What the driver uses of a transaction of Kysely. */
interface KyselyTransaction {
  readonly isTransaction: boolean;
  withoutPlugins(): { executeQuery<Row>(query: CompiledQuery<Row>): Promise<{ readonly rows: readonly Row[] }> };
}

/**
 * Makes Kysely's transactions the `tx` everywhere: `client.transaction` and handlers open them, and one that the application opened
 * with `db.transaction()` or `db.startTransaction()` can be passed as `tx`. Everything else, LISTEN included, uses the client.
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
export function kyselyDriver<Tx extends KyselyTransaction>(
  db: KyselyDatabase<Tx>,
  client: OrmClient,
): PostgresDriver<Tx> & PostgresNotifyDriver<Tx> {
  checkDatabase(db);
  return driverOnClient<Tx>(
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
