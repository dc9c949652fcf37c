import { invalid, show } from "../checks/check-options.ts";
import type { Recurrence, RecurrenceRule } from "../model/recurrence.ts";
import { createZone, type Zone } from "./wall-time.ts";
import { createCronSearch, type Found } from "./cron.ts";
import { nearestNames } from "./nearest-names.ts";
import { readPattern } from "./pattern.ts";

/** Makes recurrences, and remembers zones and patterns that many schedules share. */
export interface Recurrences {
  /** Throws `invalid-input` for a pattern or a zone that cannot be read, and for a rule without any tick. */
  of(rule: RecurrenceRule): Recurrence;
}

/** Recurrences that are remembered. */
const mostKnown = 1_000;

export function createRecurrences(): Recurrences {
  const zones = new Map<string, Zone>();
  const known = new Map<string, Recurrence>();
  const zoneOf = (name: string): Zone => {
    const zone = zones.get(name) ?? readZone(name);
    zones.set(name, zone);
    return zone;
  };
  return {
    of(rule) {
      const key = JSON.stringify(rule);
      const remembered = known.get(key);
      if (remembered !== undefined) return remembered;
      const recurrence = recurrenceOf(rule, zoneOf);
      if (recurrence.next(-Infinity) === undefined)
        throw invalid(
          `the schedule must have a tick; there is none from ${show(rule.startAt)} to ${show(rule.endAt)}.`,
        );
      if (known.size >= mostKnown) known.clear();
      known.set(key, recurrence);
      return recurrence;
    },
  };
}

function recurrenceOf(rule: RecurrenceRule, zoneOf: (name: string) => Zone): Recurrence {
  const { startAt = -Infinity, endAt = Infinity } = rule;
  const search = searchOf(rule, zoneOf);
  // The year 1970 is the first that a pattern is asked for.
  const earliest = Math.max(startAt - 1, "cron" in rule ? -1 : -Infinity);
  const find = (after: number): Found | undefined => {
    const found = search(Math.max(after, earliest));
    return found === undefined || found.at > endAt ? undefined : found;
  };
  return {
    next(after) {
      const found = find(after);
      return found === undefined ? undefined : { at: found.at, note: found.note };
    },
    count(after, until) {
      let count = 0;
      const last = Math.min(until, endAt);
      for (let found = find(after); found !== undefined && found.at <= last;) {
        const { rest } = found;
        const isWhole = rest !== undefined && rest.last <= last;
        count += isWhole ? rest.count + 1 : 1;
        found = find(isWhole ? rest.last : found.at);
      }
      return count;
    },
  };
}

function searchOf(rule: RecurrenceRule, zoneOf: (name: string) => Zone): (after: number) => Found | undefined {
  if ("cron" in rule) return createCronSearch(readPattern(rule.cron), zoneOf(rule.timeZone));
  const { everyMs, from } = rule;
  // 2^20 at a time count as a day of a pattern does.
  const group = 2 ** 20;
  return (after) => {
    const index = after < from ? 0 : Math.floor((after - from) / everyMs) + 1;
    const count = group - 1 - (index % group);
    const at = from + index * everyMs;
    return { at, note: undefined, rest: { count, last: at + count * everyMs } };
  };
}

function readZone(name: string): Zone {
  try {
    return createZone(name);
  } catch (error) {
    const names = nearestNames(name, Intl.supportedValuesOf("timeZone"));
    throw invalid(
      `timeZone must be the name of an IANA time zone, such as "Europe/Vienna"; got ${show(name)}. The nearest names are ${names.map((each) => `"${each}"`).join(", ")}.`,
      error,
    );
  }
}
