/**
 * The driver for Drizzle on pg, postgres.js and PGlite.
 *
 * @module
 */
import { ChainwrightError } from "chainwright";
import type { PostgresDriver } from "../driver.ts";
import { postgresJs } from "../drivers/postgres-js.ts";
import type { PostgresNotifyDriver } from "../notify/driver.ts";
import { driverOnClient } from "./client-driver.ts";
import { closeConnection, hasMethods, isObject, isPostgresJs, isReference, nameOf } from "./clients.ts";
import { sessionOf, transactionOn } from "./drizzle-session.ts";

/** What the driver uses of a Drizzle database. */
interface DrizzleDatabase<Tx> {
  /** The client library's pool, `sql` or database. */
  readonly $client: object;
  transaction<T>(run: (tx: Tx) => Promise<T>, options?: { isolationLevel?: "read committed" }): Promise<T>;
}

/**
 * Makes Drizzle's transactions the `tx` everywhere: `client.transaction` and handlers open them, and one that the application opened
 * with `db.transaction` can be passed as `tx`. Works on pg, postgres.js and PGlite. Everything else, LISTEN included, uses the client
 * on which Drizzle works.
 *
 * @example
 * import { drizzle } from "drizzle-orm/node-postgres";
 *
 * const driver = drizzleDriver(drizzle(connectionString));
 * const stateAdapter = createPostgresStateAdapter({ driver });
 * const notifyAdapter = createPostgresNotifyAdapter({ driver });
 */
export function drizzleDriver<Tx extends object>(
  db: DrizzleDatabase<Tx>,
): PostgresDriver<Tx> & PostgresNotifyDriver<Tx> {
  const client = clientOf(db);
  const driver = driverOnClient<Tx>(
    client,
    (base) => ({
      begin: (run) => db.transaction(run, { isolationLevel: "read committed" }),
      send: async (tx, query) => base.query(query, connectionOf(tx, client)),
      abandon: (tx) => closeConnection(connectionOf(tx, client)),
    }),
    { name: "the client of Drizzle's database" },
  );
  const session = sessionOf(db);
  if (!isPostgresJs(client) || session === undefined) return driver;
  // If a connection is lost inside a transaction, postgres.js crashes the process, and Drizzle does not prevent it.
  const guarded = postgresJs(client);
  return {
    ...driver,
    transaction: (run, limitMs) => guarded.transaction((handle) => transactionOn(session, handle, run), limitMs),
  };
}

function clientOf(db: unknown): object {
  if (isObject(db) && "$client" in db && isReference(db.$client) && hasMethods(db, "transaction")) return db.$client;
  throw new ChainwrightError(
    "invalid-input",
    `db must be a database of Drizzle; got ${nameOf(db)}: pass what drizzle() returned`,
  );
}

function connectionOf(tx: unknown, client: object): object {
  const session = sessionOf(tx);
  if (session === undefined) throw notTransaction(nameOf(tx));
  if (session.client === client) throw notTransaction("its database, outside of a transaction");
  return session.client;
}

function notTransaction(got: string): ChainwrightError {
  return new ChainwrightError(
    "invalid-input",
    `tx must be a transaction of Drizzle; got ${got}: pass the tx that client.transaction or db.transaction gives its callback`,
  );
}
