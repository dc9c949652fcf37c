import type { PostgresDriver, PostgresQuery, PostgresRow } from "../driver.ts";
import { aroundCallback } from "../drivers/around-callback.ts";
import { within } from "../drivers/time-limit.ts";
import { noConnection } from "../errors.ts";

/** How an ORM opens transactions, and how a statement is sent inside one. */
export interface OrmTransactions<Tx> {
  begin<T>(run: (tx: Tx) => Promise<T>): Promise<T>;
  send(tx: Tx, query: PostgresQuery): Promise<readonly PostgresRow[]>;
  /** Closes the connection of a transaction whose statement, commit or rollback does not end. Left out: it cannot. */
  abandon?(tx: Tx): void;
}

/** A driver whose transactions are those of an ORM. Everything else goes through the driver of the client library. */
export function ormDriver<Tx>(base: PostgresDriver, transactions: OrmTransactions<Tx>): PostgresDriver<Tx> {
  return {
    query: (query, tx, limitMs) =>
      tx === undefined ? base.query(query, undefined, limitMs) : transactions.send(tx, query),
    transaction: createTransact(transactions),
    close: base.close,
  };
}

/**
 * Runs transactions of an ORM within the limits of the adapter. A transaction in which a statement failed cannot commit, and not
 * every library reports that. One more round trip before the commit finds it out.
 */
export function createTransact<Tx>({ begin, send, abandon }: OrmTransactions<Tx>): PostgresDriver<Tx>["transaction"] {
  return <T>(run: (tx: Tx) => Promise<T>, limitMs = Infinity) => {
    let opened: { readonly tx: Tx } | undefined;
    return aroundCallback<Tx, T>({
      begin,
      run: async (tx) => {
        opened = { tx };
        const value = await run(tx);
        const probe = send(tx, { text: "select 1", parameters: [], prepare: false });
        // Nothing was written, because the commit has not been sent.
        await within(probe, { limitMs, giveUp: () => noConnection(limitMs) });
        return value;
      },
      limitMs,
      cancel: () => {
        if (opened !== undefined) abandon?.(opened.tx);
      },
      // The connection belongs to the library, and so do the notices on it.
      commits: (commit) => commit(),
    });
  };
}
