/*
 * Ids that the library makes begin with the moment at which they were made, so a list in their order is one by time, and a
 * search for a time may begin near it. Clocks differ, hence the slack; ids that an application chose say nothing.
 */
const slackMs = 3_600_000;

/** The moment in an id; undefined: it holds none. */
export function timeOfId(id: string): number | undefined {
  return id[14] === "7" ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined;
}

/** An id that stands after all that were made by then, in ascending order. */
export function idAfter(at: number): string {
  return `${stampOf(at + slackMs)}-7fff-bfff-ffffffffffff`;
}

/** An id that stands before all that were made from then on. */
export function idBefore(at: number): string {
  return firstIdAt(at - slackMs);
}

/** The same going by the clock that made them. */
export function firstIdAt(at: number): string {
  return `${stampOf(at)}-7000-8000-000000000000`;
}

/** Whether what follows an id, in the order asked for, was made outside of a time. */
export function isPast(id: string, order: "newest" | "oldest", { from, until }: TimeRange): boolean {
  const at = timeOfId(id);
  if (at === undefined) return false;
  return order === "newest" ? from !== undefined && at < from - slackMs : until !== undefined && at > until + slackMs;
}

export interface TimeRange {
  readonly from: number | undefined;
  readonly until: number | undefined;
}

function stampOf(at: number): string {
  const hex = Math.min(Math.max(0, at), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}
