import { dayMs, type OffsetSpan, type Zone } from "./wall-time.ts";
import type { Occurrence } from "../model/recurrence.ts";
import { localDayOf, type Pattern } from "./pattern.ts";

/** The ticks of one local day. */
export interface DayTicks {
  readonly length: number;
  /** Ascending, each later than the one before. */
  at(index: number): Occurrence;
  /** The place of the first tick after an instant; `length` if there is none. */
  after(instant: number): number;
  /** Whether no change of the clocks is near. */
  readonly isPlain: boolean;
}

/*
 * The rule of Vixie cron for the days on which clocks change.
 *
 * A pattern that names hours means times of day, once a day on each day: a time that does not exist is at the first instant after the
 * gap, several of them once; a time that comes twice is at its first. A pattern whose hour is `*` or `*` with a step means real time: a
 * time that comes twice is at both, and in a gap there is none.
 */
function ticksOfDay(pattern: Pattern, zone: Zone, day: number): DayTicks {
  const offset = zone.steadyOffset(day);
  return offset === undefined
    ? listed(onChangeOfClocks(pattern, zone.offsetsAround(day), day))
    : plain(pattern.times, day - offset);
}

/** A day with one offset: nothing is computed before it is asked for. */
function plain(times: readonly number[], midnight: number): DayTicks {
  const instantAt = (index: number): number => midnight + (times[index] ?? Infinity) * 1_000;
  return {
    isPlain: true,
    length: times.length,
    at: (index) => ({ at: instantAt(index), note: undefined }),
    after: (instant) => firstAfter(times.length, instantAt, instant),
  };
}

function listed(ticks: readonly Occurrence[]): DayTicks {
  const instantAt = (index: number): number => ticks[index]?.at ?? Infinity;
  return {
    isPlain: false,
    length: ticks.length,
    at: (index) => ticks[index] ?? { at: Infinity, note: undefined },
    after: (instant) => firstAfter(ticks.length, instantAt, instant),
  };
}

function firstAfter(length: number, instantAt: (index: number) => number, instant: number): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (instantAt(middle) <= instant) low = middle + 1;
    else high = middle;
  }
  return low;
}

function onChangeOfClocks(
  { times, hasFixedHours }: Pattern,
  spans: readonly OffsetSpan[],
  day: number,
): readonly Occurrence[] {
  const byInstant = new Map<number, Occurrence>();
  for (const time of times) {
    const wall = day + time * 1_000;
    const instants = spans.map(({ offset }) => wall - offset).filter((at, index) => isWithin(spans[index], at));
    const [first, second] = instants;
    if (first === undefined) {
      const end = hasFixedHours ? endOfGap(spans, wall) : undefined;
      if (end !== undefined && !byInstant.has(end)) byInstant.set(end, { at: end, note: "moved out of a gap" });
      continue;
    }
    byInstant.set(first, { at: first, note: second === undefined ? undefined : "first of two" });
    if (second !== undefined && !hasFixedHours) byInstant.set(second, { at: second, note: "second of two" });
  }
  return [...byInstant.values()].toSorted((left, right) => left.at - right.at);
}

function isWithin(span: OffsetSpan | undefined, at: number): boolean {
  return span !== undefined && span.from <= at && at < span.until;
}

/** The first instant after the gap in which a wall time is. */
function endOfGap(spans: readonly OffsetSpan[], wall: number): number | undefined {
  return spans.find(({ from, offset }, index) => {
    const before = spans[index - 1];
    return before !== undefined && wall - before.offset >= from && wall - offset < from;
  })?.from;
}

/** The first tick after an instant. */
export interface Found extends Occurrence {
  /** On a plain day: how many ticks of it follow, and when the last one is. */
  readonly rest: { readonly count: number; readonly last: number } | undefined;
}

/** Returns a search for the ticks of a pattern in a zone. */
export function createCronSearch(pattern: Pattern, zone: Zone): (after: number) => Found | undefined {
  let latest: { readonly day: number; readonly ticks: DayTicks } | undefined;
  const ticksOf = (day: number): DayTicks => {
    if (latest?.day !== day) latest = { day, ticks: ticksOfDay(pattern, zone, day) };
    return latest.ticks;
  };
  return (after) => {
    let best: Found | undefined;
    let until = Infinity;
    // A day earlier, because a time that comes twice may come again after midnight.
    let from = localDayOf(after, zone.offsetAt(after));
    if (zone.steadyOffset(from) === undefined) from -= dayMs;
    for (let day = pattern.nextDay(from); day !== undefined && day <= until; day = pattern.nextDay(day + dayMs)) {
      const ticks = ticksOf(day);
      const index = ticks.after(after);
      if (index >= ticks.length) continue;
      const found = ticks.at(index);
      if (best === undefined || found.at < best.at) best = { ...found, rest: restOf(ticks, index) };
      if (ticks.isPlain) break;
      until = day + dayMs;
    }
    return best;
  };
}

function restOf(ticks: DayTicks, index: number): Found["rest"] {
  if (!ticks.isPlain) return undefined;
  return { count: ticks.length - index - 1, last: ticks.at(ticks.length - 1).at };
}
