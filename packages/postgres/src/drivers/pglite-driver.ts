import { AsyncLocalStorage } from "node:async_hooks";
import { ChainwrightError } from "chainwright";
import type { PostgresDriver, PostgresQuery, PostgresRow } from "../driver.ts";
import type { PostgresListener, PostgresListening, PostgresNotifyDriver } from "../notify/driver.ts";

/** What the driver uses of a PGlite database, and of its transactions. */
export interface PGliteQueryable {
  query(
    text: string,
    parameters?: unknown[],
    options?: { readonly rowMode?: "array" },
  ): Promise<{ readonly rows: unknown[] }>;
}

/** What the driver uses of a PGlite database. */
export interface PGliteDatabase<Transaction extends PGliteQueryable> extends PGliteQueryable {
  transaction<T>(run: (tx: Transaction) => Promise<T>): Promise<T>;
  listen(channel: string, callback: (payload: string) => void): Promise<() => Promise<void>>;
}

/** How transactions are opened on the database, by PGlite itself or by an ORM on it. */
export interface PGliteTransactions<Tx> {
  transact<T>(run: (tx: Tx) => Promise<T>, limitMs?: number): Promise<T>;
  send(tx: Tx, query: PostgresQuery): Promise<readonly PostgresRow[]>;
}

/** A driver on PGlite, which has one connection, so every call waits for an open transaction to end. */
export function createPGliteDriver<Tx>(
  db: PGliteDatabase<PGliteQueryable>,
  { transact, send }: PGliteTransactions<Tx>,
  patienceMs: number,
): PostgresDriver<Tx> & PostgresNotifyDriver<Tx> {
  const callers = new AsyncLocalStorage<{ open: boolean; readonly ended: Promise<void> }>();

  /** Calls wait here and not in PGlite's own queue, because a call that gave up must not run later. */
  const otherTransaction = async () => {
    const caller = callers.getStore();
    if (caller?.open === true && !(await settlesWithin(caller.ended, patienceMs))) throw waitsForItself();
  };

  return {
    query: async (query, tx) => {
      if (tx !== undefined) return send(tx, query);
      await otherTransaction();
      return sendToPGlite(db, query);
    },

    // No other session exists, so the isolation level makes no difference.
    transaction: async (run, limitMs) => {
      await otherTransaction();
      const ended = Promise.withResolvers<void>();
      const caller = { open: true, ended: ended.promise };
      try {
        return await callers.run(caller, () => transact(run, limitMs));
      } finally {
        caller.open = false;
        ended.resolve();
      }
    },

    insideTransaction: () => callers.getStore()?.open === true,
    listen: (listening, signal) => listenWithPGlite(db, listening, signal),
    close: async () => {},
  };
}

/** Sends a statement on the database, or inside one of its transactions. */
export async function sendToPGlite(
  on: PGliteQueryable,
  { text, parameters }: PostgresQuery,
): Promise<readonly PostgresRow[]> {
  return (await on.query(text, [...parameters], { rowMode: "array" })).rows as PostgresRow[];
}

/** Listens on the one connection. It is inside the process, so it does not break. */
async function listenWithPGlite(
  db: PGliteDatabase<PGliteQueryable>,
  { channel, onNotification }: PostgresListening,
  signal: AbortSignal,
): Promise<PostgresListener> {
  const stop = await db.listen(channel, onNotification);
  if (signal.aborted) {
    await stop();
    signal.throwIfAborted();
  }
  return {
    probe: async () => void (await db.query("select 1")),
    close: () => stop(),
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
