import type { Store } from "../store.ts";

/**
 * Prolongs the leases that were valid at a given time, of all workers in all processes, by the time in which no one could renew
 * them because a transaction held the only writer. Otherwise the next worker that writes would claim jobs that are still running.
 *
 * It reads all open jobs, because no index has the lease: 90 ms for a million of them, after a transaction that took 250 ms or more.
 */
export function createProlongLeases({ tables: t, sql }: Store): (since: number, byMs: number) => void {
  const prolong = sql(`update ${t.openJob} set leased_until = leased_until + ? where leased_until > ?`);
  return (since, byMs) => void prolong.run(Math.ceil(byMs), since);
}
