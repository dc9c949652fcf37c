/** When a schedule ticks: a pattern in a time zone, or an interval in real time. Moments are milliseconds since 1970. */
export type RecurrenceRule = (
  | { readonly cron: string; readonly timeZone: string }
  | { readonly everyMs: number; readonly from: number }
) & {
  /** No tick before. */
  readonly startAt?: number | undefined;
  /** No tick after. */
  readonly endAt?: number | undefined;
};

/** A tick that is to come. */
export interface Occurrence {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly note: OccurrenceNote | undefined;
}

/** What a change of the clocks does to a tick. */
export type OccurrenceNote = "moved out of a gap" | "first of two" | "second of two";

/** The ticks of a rule. */
export interface Recurrence {
  /** The first tick after an instant. */
  next(after: number): Occurrence | undefined;
  /** How many ticks are after one instant and not after another. */
  count(after: number, until: number): number;
}

/** The last ticks after one instant and not after another, at most `limit` of them, in their order. */
export function latestOf(
  recurrence: Recurrence,
  { after, until, limit }: { readonly after: number; readonly until: number; readonly limit: number },
): readonly number[] {
  let from = after;
  for (let spanMs = 60_000; until - spanMs > after; spanMs *= 4) {
    if (recurrence.count(until - spanMs, until) < limit) continue;
    from = until - spanMs;
    break;
  }
  const ticks = ticksBetween(recurrence, from, until);
  return ticks.slice(Math.max(0, ticks.length - limit));
}

/** The ticks after one instant and not after another, at most `limit` of them. */
export function ticksBetween(
  recurrence: Recurrence,
  after: number,
  until: number,
  limit = Infinity,
): readonly number[] {
  const ticks: number[] = [];
  for (let tick = recurrence.next(after); tick !== undefined && tick.at <= until; tick = recurrence.next(tick.at)) {
    if (ticks.length >= limit) break;
    ticks.push(tick.at);
  }
  return ticks;
}
