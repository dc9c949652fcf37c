import type { Store } from "../store.ts";

/** A transaction that has been open for so long may have outlasted leases. */
const longMs = 250;

/**
 * On a database with one connection, what runs in a transaction, and then, if it took long, prolongs the leases that held when
 * it began by as long: no one could renew them meanwhile.
 */
export function whileLeasesStandStill<Tx, T>(
  { schema, run }: Store<Tx>,
  callback: (tx: Tx) => Promise<T>,
): (tx: Tx) => Promise<T> {
  return async (tx) => {
    const [since, startedAt] = [Date.now(), performance.now()];
    const value = await callback(tx);
    const forMs = performance.now() - startedAt;
    if (forMs >= longMs) {
      await run(tx, {
        text: `update ${schema.quoted}.open_job set leased_until = leased_until + $1::float8 where leased_until > $2::float8`,
        parameters: [String(forMs), String(since)],
        prepare: false,
      });
    }
    return value;
  };
}
