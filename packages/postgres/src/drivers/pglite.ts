import { AsyncLocalStorage } from "node:async_hooks";
import { ChainwrightError } from "chainwright";
import type { PostgresDriver, PostgresQuery, PostgresRow } from "../driver.ts";

/** What the driver uses of a PGlite database, and of its transactions. */
export interface PGliteQueryable {
  query(
    text: string,
    parameters?: unknown[],
    options?: { readonly rowMode?: "array" },
  ): Promise<{ readonly rows: unknown[] }>;
}

export interface PGliteDatabase<Transaction extends PGliteQueryable> extends PGliteQueryable {
  transaction<T>(run: (tx: Transaction) => Promise<T>): Promise<T>;
}

/**
 * Drives Postgres inside the process, through PGlite; the database stays the application's: it closes it. PGlite has one
 * connection, so everything waits for an open transaction to end. A call inside a transaction's callback that is not given
 * its `tx` would wait for itself: it rejects.
 *
 * @example
 * const stateAdapter = createPostgresStateAdapter({ driver: pglite(new PGlite("./jobs")) });
 */
export function pglite<Transaction extends PGliteQueryable>(
  db: PGliteDatabase<Transaction>,
): PostgresDriver<Transaction> {
  const callers = new AsyncLocalStorage<{ open: boolean }>();

  const send = async (on: PGliteQueryable, { text, parameters }: PostgresQuery): Promise<readonly PostgresRow[]> =>
    (await on.query(text, [...parameters], { rowMode: "array" })).rows as PostgresRow[];

  const refuseToWaitForItself = () => {
    if (callers.getStore()?.open !== true) return;
    throw new ChainwrightError(
      "invalid-input",
      "a call made inside a transaction's callback waits for that transaction to end, for PGlite has one connection: pass the callback's `tx` to it",
    );
  };

  return {
    query: async (query, tx) => {
      if (tx !== undefined) return send(tx, query);
      refuseToWaitForItself();
      return send(db, query);
    },

    // Nobody else can be at work meanwhile, so that its isolation level makes no difference.
    transaction: async (run) => {
      refuseToWaitForItself();
      const caller = { open: true };
      try {
        return await callers.run(caller, () => db.transaction(run));
      } finally {
        caller.open = false;
      }
    },

    close: async () => {},
  };
}
