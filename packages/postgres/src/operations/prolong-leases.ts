import type { Store } from "../store.ts";

/** After this time leases may have run out during a transaction. */
const longMs = 250;

/**
 * For a database with one connection: after a long transaction, extends the leases that were valid when it began by its duration,
 * because no one could renew them meanwhile.
 */
export function withLeasesExtended<Tx, T>(
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
