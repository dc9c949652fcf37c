/** What the slots of a worker did between the last two exchanges. */
export interface Pace {
  /** Attempts that ended. */
  readonly finished: number;
  /** How long the slots had jobs until one of them found none claimed ahead; undefined: none of them did. */
  readonly starvedAfterMs: number | undefined;
}

/** How much work is claimed ahead while jobs wait in the store anyway. It divides the fixed cost of an exchange, about a millisecond. */
const aheadMs = 50;
/** A few quick jobs say little about those behind them. */
const mostGrowth = 8;

/**
 * How many jobs to claim ahead of the slots: as many as ended during the last round trip (Little's law), so that slots never
 * wait for the store. If a slot was empty, twice as many; or what the slots finish in 50 ms at their pace until then, if the last claim
 * brought as many jobs as it asked for. Where jobs take longer than a round trip, few end during it, so long jobs are left to workers
 * with free slots, and where the store has no more jobs, no worker is kept from one.
 */
export function prefetchWindow({ finished, starvedAfterMs }: Pace, isFilled: boolean, largest: number): number {
  if (starvedAfterMs === undefined) return Math.min(largest, finished);
  const growth = isFilled ? Math.min(mostGrowth, aheadMs / Math.max(1, starvedAfterMs)) : 0;
  return Math.min(largest, Math.floor(finished * Math.max(2, growth)));
}
