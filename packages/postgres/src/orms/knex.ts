/**
 * The driver for Knex on pg.
 *
 * @module
 */
import { ChainwrightError } from "chainwright";
import type { PostgresDriver } from "../driver.ts";
import type { PgClient } from "../drivers/pg-client.ts";
import { pg } from "../drivers/pg.ts";
import { endedTransaction } from "../errors.ts";
import type { PostgresNotifyDriver } from "../notify/driver.ts";
import { closeConnection, isObject, nameOf } from "./clients.ts";
import { isKnex, isKnexTransaction, knexPool } from "./knex-pool.ts";
import { ormDriver } from "./orm-driver.ts";

/** What the driver uses of a Knex. */
interface KnexDatabase<Tx> {
  transaction<T>(run: (tx: Tx) => Promise<T>, options: { isolationLevel: "read committed" }): Promise<T>;
}

/**
 * Makes Knex' transactions the `tx` everywhere: `client.transaction` and handlers open them, and one that the application opened
 * with `knex.transaction` can be passed as `tx`. Everything else uses Knex' pool, and LISTEN a connection like those of the pool.
 *
 * @example
 * import createKnex from "knex";
 *
 * const driver = knexDriver(createKnex({ client: "pg", connection: connectionString }));
 * const stateAdapter = createPostgresStateAdapter({ driver });
 * const notifyAdapter = createPostgresNotifyAdapter({ driver });
 */
export function knexDriver<Tx extends object>(knex: KnexDatabase<Tx>): PostgresDriver<Tx> & PostgresNotifyDriver<Tx> {
  const pool = knexPool(knexOf(knex).client);
  const base = pg(pool);
  const transactions = ormDriver<Tx>(base, {
    begin: (run) => knex.transaction(run, { isolationLevel: "read committed" }),
    send: async (tx, query) => base.query(query, await connectionOf(tx)),
    abandon: (tx) => void connectionOf(tx).then(closeConnection, () => undefined),
  });
  return { ...transactions, connections: pool.options.max, listen: base.listen };
}

function knexOf(knex: unknown) {
  if (isKnex(knex)) {
    if (knex.client.driverName === "pg") return knex;
    throw invalid(`knex must use the client "pg"; got ${JSON.stringify(knex.client.driverName)}`);
  }
  const got = isObject(knex) || typeof knex !== "function" ? nameOf(knex) : "another function";
  throw invalid(`knex must be a Knex; got ${got}: pass what knex({ client: "pg", connection }) returned`);
}

/** The connection of a transaction that is open. */
async function connectionOf(tx: unknown): Promise<PgClient> {
  if (!isKnexTransaction(tx)) {
    throw invalid(
      `tx must be a transaction of Knex; got ${isKnex(tx) ? "Knex itself" : nameOf(tx)}: ` +
        "pass the tx that client.transaction or knex.transaction gives its callback",
    );
  }
  if (tx.isCompleted()) throw endedTransaction();
  return tx.client.acquireConnection();
}

function invalid(message: string): ChainwrightError {
  return new ChainwrightError("invalid-input", message);
}
