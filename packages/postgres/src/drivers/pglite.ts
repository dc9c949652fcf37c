/**
 * The driver for PGlite.
 *
 * @module
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { ChainwrightError } from "chainwright";
import type { PostgresDriver, PostgresQuery, PostgresRow } from "../driver.ts";

/** What the driver uses of a PGlite database, and of its transactions. */
interface PGliteQueryable {
  query(
    text: string,
    parameters?: unknown[],
    options?: { readonly rowMode?: "array" },
  ): Promise<{ readonly rows: unknown[] }>;
}

/** What the driver uses of a PGlite database. */
interface PGliteDatabase<Transaction extends PGliteQueryable> extends PGliteQueryable {
  transaction<T>(run: (tx: Transaction) => Promise<T>): Promise<T>;
}

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
): PostgresDriver<Transaction> {
  const callers = new AsyncLocalStorage<{ open: boolean; readonly ended: Promise<void> }>();

  const send = async (on: PGliteQueryable, { text, parameters }: PostgresQuery): Promise<readonly PostgresRow[]> =>
    (await on.query(text, [...parameters], { rowMode: "array" })).rows as PostgresRow[];

  /** Calls wait here and not in PGlite's own queue, because a call that gave up must not run later. */
  const otherTransaction = async () => {
    const caller = callers.getStore();
    if (caller?.open === true && !(await settlesWithin(caller.ended, patienceMs))) throw waitsForItself();
  };

  return {
    query: async (query, tx) => {
      if (tx !== undefined) return send(tx, query);
      await otherTransaction();
      return send(db, query);
    },

    // No other session exists, so the isolation level makes no difference.
    transaction: async (run) => {
      await otherTransaction();
      const ended = Promise.withResolvers<void>();
      const caller = { open: true, ended: ended.promise };
      try {
        return await callers.run(caller, () => db.transaction(run));
      } finally {
        caller.open = false;
        ended.resolve();
      }
    },

    insideTransaction: () => callers.getStore()?.open === true,

    close: async () => {},
  };
}

async function settlesWithin(promise: Promise<void>, ms: number): Promise<boolean> {
  const { promise: first, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), ms);
  void promise.then(() => resolve(true));
  const settled = await first;
  clearTimeout(timer);
  return settled;
}

function waitsForItself(): ChainwrightError {
  return new ChainwrightError(
    "invalid-input",
    "a call inside a transaction's callback waits for that transaction to end, because PGlite has one connection: pass the callback's `tx` to the call",
  );
}
