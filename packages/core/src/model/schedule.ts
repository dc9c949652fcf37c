/** When a job becomes due, by the store's clock: a moment (milliseconds since 1970) or a delay from now. */
export type Schedule = { readonly at: number } | { readonly afterMs: number };

/**
 * Returns the moment of a schedule, given the store's `now`; both in milliseconds since 1970.
 *
 * @example
 * dueAt({ afterMs: 1_000 }, 5_000); // 6000
 */
export function dueAt(schedule: Schedule, now: number): number {
  return "at" in schedule ? schedule.at : now + schedule.afterMs;
}
