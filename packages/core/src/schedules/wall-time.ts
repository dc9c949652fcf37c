/** A time zone: how far its wall clocks are ahead of UTC. */
export interface Zone {
  /** Milliseconds that wall clocks are ahead of UTC at an instant. */
  offsetAt(instant: number): number;
  /** Whether one offset is in force on a whole local day, and on the days around it; if so, that offset. */
  steadyOffset(day: number): number | undefined;
  /** The instants at which the offset changes on a local day or around it, with the offsets from there on, in their order. */
  offsetsAround(day: number): readonly OffsetSpan[];
}

/** A time in which one offset is in force. */
export interface OffsetSpan {
  readonly from: number;
  /** Exclusive. */
  readonly until: number;
  readonly offset: number;
}

export const dayMs = 86_400_000;
const second = 1_000;
/** Days whose offsets are remembered. */
const mostDays = 4_000;

/** Reads the offsets of a zone, which must be one that the runtime knows. A local day is named by its midnight, as if that were UTC. */
export function createZone(name: string): Zone {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: name,
    hourCycle: "h23",
    era: "short",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const offsetAt = (instant: number): number => {
    const whole = Math.floor(instant / second) * second;
    return wallOf(format, whole) - whole;
  };
  const known = new Map<number, number>();
  const atMidnight = (day: number): number => {
    const remembered = known.get(day);
    if (remembered !== undefined) return remembered;
    if (known.size >= mostDays) known.clear();
    const offset = offsetAt(day);
    known.set(day, offset);
    return offset;
  };
  // Offsets are less than a day: a local day is within these four midnights of UTC.
  const midnights = (day: number) => [day - dayMs, day, day + dayMs, day + 2 * dayMs] as const;
  return {
    offsetAt,
    steadyOffset(day) {
      const offset = atMidnight(day);
      return midnights(day).every((each) => atMidnight(each) === offset) ? offset : undefined;
    },
    offsetsAround(day) {
      const spans: OffsetSpan[] = [];
      const [first, ...others] = midnights(day);
      let span = { from: first, until: first, offset: atMidnight(first) };
      for (const each of others) {
        const offset = atMidnight(each);
        if (offset === span.offset) continue;
        const change = changeBetween(offsetAt, each - dayMs, each);
        spans.push({ ...span, until: change });
        span = { from: change, until: change, offset };
      }
      return [...spans, { ...span, until: day + 2 * dayMs }];
    },
  };
}

/** The first instant, to the second, with another offset than `from` has. `to` has another one. */
function changeBetween(offsetAt: Zone["offsetAt"], from: number, to: number): number {
  const offset = offsetAt(from);
  let [low, high] = [from, to];
  while (high - low > second) {
    const middle = low + Math.floor((high - low) / 2 / second) * second;
    if (offsetAt(middle) === offset) low = middle;
    else high = middle;
  }
  return high;
}

/** What wall clocks show, as if it were UTC. */
function wallOf(format: Intl.DateTimeFormat, instant: number): number {
  let [year, month, day, hour, minute, secondOf] = [0, 0, 0, 0, 0, 0];
  let isBefore = false;
  for (const { type, value } of format.formatToParts(instant)) {
    if (type === "year") year = Number(value);
    else if (type === "month") month = Number(value);
    else if (type === "day") day = Number(value);
    else if (type === "hour") hour = Number(value);
    else if (type === "minute") minute = Number(value);
    else if (type === "second") secondOf = Number(value);
    else if (type === "era") isBefore = value.startsWith("B");
  }
  const date = new Date(0);
  date.setUTCFullYear(isBefore ? 1 - year : year, month - 1, day);
  return date.setUTCHours(hour, minute, secondOf);
}
