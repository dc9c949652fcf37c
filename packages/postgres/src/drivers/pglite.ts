/**
 * The driver for PGlite.
 *
 * @module
 */
import type { PostgresDriver } from "../driver.ts";
import type { PostgresNotifyDriver } from "../notify/driver.ts";
import { createPGliteDriver, sendToPGlite, type PGliteDatabase, type PGliteQueryable } from "./pglite-driver.ts";

/**
 * Options of `pglite`.
 *
 * @example
 * import { PGlite } from "@electric-sql/pglite";
 *
 * const patient: PGliteOptions = { patienceMs: 30_000 };
 * const stateAdapter = createPostgresStateAdapter({ driver: pglite(new PGlite("./jobs"), patient) });
 */
export interface PGliteOptions {
  /**
   * How long a call made inside a transaction's callback, but without its `tx`, waits for that transaction to end. If the
   * callback waits for the call, neither would ever end; after this time the call rejects. In milliseconds. Default: 5,000.
   */
  readonly patienceMs?: number | undefined;
}

/**
 * Uses Postgres inside the process, through PGlite. The application closes the database. PGlite has one connection, so every call
 * waits for an open transaction to end.
 *
 * @example
 * import { PGlite } from "@electric-sql/pglite";
 *
 * const stateAdapter = createPostgresStateAdapter({ driver: pglite(new PGlite("./jobs")) });
 */
export function pglite<Transaction extends PGliteQueryable>(
  db: PGliteDatabase<Transaction>,
  { patienceMs = 5_000 }: PGliteOptions = {},
): PostgresDriver<Transaction> & PostgresNotifyDriver<Transaction> {
  return createPGliteDriver<Transaction>(
    db,
    { transact: (run) => db.transaction(run), send: sendToPGlite },
    patienceMs,
  );
}
