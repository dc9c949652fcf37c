/**
 * How many jobs to claim ahead of the slots: as many as ended during the last round trip (Little's law), so that slots never
 * wait for the store. If a slot was empty, twice as many. Where jobs take longer than a round trip, few end during it, so
 * long jobs are left to workers with free slots.
 */
export function prefetchWindow(
  { finished, starved }: { readonly finished: number; readonly starved: boolean },
  largest: number,
): number {
  return Math.min(largest, starved ? finished * 2 : finished);
}
