/**
 * The driver for `pg`.
 *
 * @module
 */
import type { PostgresDriver } from "../driver.ts";
import type { PostgresNotifyDriver } from "../notify/driver.ts";
import { listenWithPg } from "../notify/listen-pg.ts";
import { listenToErrors, type PgClient, type PgPool } from "./pg-client.ts";
import { createStatements } from "./pg-statements.ts";
import { createTransactions } from "./pg-transactions.ts";

/**
 * Options of `pg`.
 *
 * @example
 * const behindPgBouncer: PgOptions = { prepare: false };
 * const stateAdapter = createPostgresStateAdapter({ driver: pg(pool, behindPgBouncer) });
 */
export interface PgOptions {
  /**
   * Whether statements are prepared once per connection. Behind a pooler in transaction mode that does not track prepared
   * statements, it turns itself off at the first failure; `false` avoids that failure. Default: true.
   */
  readonly prepare?: boolean | undefined;
}

/**
 * Uses Postgres through a pool of `pg`. The application closes the pool. A pool of one connection is enough as long as nothing
 * inside a transaction's callback waits for a call without its `tx`.
 *
 * @example
 * import { Pool } from "pg";
 *
 * const stateAdapter = createPostgresStateAdapter({ driver: pg(new Pool({ connectionString })) });
 */
export function pg<Client extends PgClient>(
  pool: PgPool<Client>,
  options: PgOptions = {},
): PostgresDriver<Client> & PostgresNotifyDriver<Client> {
  const { sendAlone, sendOn } = createStatements(pool, options.prepare ?? true);
  const { transaction, inside } = createTransactions(pool);
  listenToErrors(pool);

  return {
    query: (query, tx, limitMs) => (tx === undefined ? sendAlone(query, limitMs) : inside(tx, () => sendOn(tx, query))),
    transaction,
    connections: pool.options.max,
    listen: (listening, signal) => listenWithPg(pool, listening, signal),
    // The pool belongs to the application, and other drivers may use it.
    close: async () => {},
  };
}
