import { Cron } from "croner";
import { invalid, show } from "../checks/check-options.ts";
import { dayMs } from "./wall-time.ts";

/**
 * A cron pattern in wall time. croner reads it, in UTC, so that no code of a dependency decides what happens when clocks change.
 */
export interface Pattern {
  /** Whether it names hours: such a pattern means times of day. Others mean real time, as every hour does. */
  readonly hasFixedHours: boolean;
  /** The times of a day that it names, in seconds from midnight, ascending. */
  readonly times: readonly number[];
  /** The first day from `day` on that it names, as the UTC midnight of that date. Undefined: there is none. */
  nextDay(day: number): number | undefined;
}

const nicknames: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);

interface Fields {
  readonly second: string;
  readonly minute: string;
  readonly hour: string;
  readonly day: string;
  readonly month: string;
  readonly weekday: string;
  readonly year: string;
}

/** Reads a pattern of 5 fields, or of 6 with seconds in front, or of 7 with the year at the end. Throws `invalid-input`. */
export function readPattern(cron: unknown): Pattern {
  if (typeof cron !== "string" || cron.length > 500)
    throw invalid(`cron must be a text with a pattern of 5 to 7 fields, such as "0 9 * * MON-FRI"; got ${show(cron)}.`);
  const fields = fieldsOf(cron);
  const times = timesOf(fields, cron);
  const isEachDay = [fields.day, fields.month, fields.weekday, fields.year].every((field) => field === "*");
  const nextDay = isEachDay ? (day: number) => day : nextDayOf(fields, cron);
  const hasFixedHours = !fields.hour.split(",").some((part) => part.startsWith("*") || part.startsWith("?"));
  if (nextDay(Date.UTC(1970, 0, 1)) === undefined)
    throw invalid(`cron "${cron}" names no time at all: no year has such a day. Correct its day, month and year.`);
  return { hasFixedHours, times, nextDay };
}

function fieldsOf(cron: string): Fields {
  const text = cron.trim();
  const parts = (nicknames.get(text.toLowerCase()) ?? text).split(/\s+/u);
  if (parts.length < 5 || parts.length > 7)
    throw invalid(
      `cron must have 5 fields (minute, hour, day, month, weekday), 6 with seconds in front, or 7 with the year at the end; got ${parts.length} in ${show(cron)}.`,
    );
  const [second = "0", minute = "*", hour = "*", day = "*", month = "*", weekday = "*", year = "*"] =
    parts.length === 5 ? ["0", ...parts] : parts;
  return { second, minute, hour, day, month, weekday, year };
}

function timesOf({ second, minute, hour }: Fields, cron: string): readonly number[] {
  const seconds = valuesOf(`${second} * * * * *`, { field: "second", text: second, cron, unitMs: 1_000, within: 60 });
  const minutes = valuesOf(`0 ${minute} * * * *`, { field: "minute", text: minute, cron, unitMs: 60_000, within: 60 });
  const hours = valuesOf(`0 0 ${hour} * * *`, { field: "hour", text: hour, cron, unitMs: 3_600_000, within: 24 });
  return hours.flatMap((h) => minutes.flatMap((m) => seconds.map((s) => h * 3_600 + m * 60 + s)));
}

interface FieldOf {
  readonly field: string;
  readonly text: string;
  readonly cron: string;
  readonly unitMs: number;
  readonly within: number;
}

/** The values that one field accepts. */
function valuesOf(pattern: string, { field, text, cron, unitMs, within }: FieldOf): readonly number[] {
  const job = parsed(pattern, `${field} ${text} in '${cron}'`);
  const values: number[] = [];
  for (let after: Date | null = new Date(-1_000); ;) {
    after = job.nextRun(after);
    if (after === null || after.getTime() >= unitMs * within) return values;
    values.push(after.getTime() / unitMs);
  }
}

function nextDayOf({ day, month, weekday, year }: Fields, cron: string): Pattern["nextDay"] {
  // Each field alone first, so that an error names it.
  parsed(`0 0 0 ${day} * * *`, `day ${day} in '${cron}'`);
  parsed(`0 0 0 * ${month} * *`, `month ${month} in '${cron}'`);
  parsed(`0 0 0 * * ${weekday} *`, `weekday ${weekday} in '${cron}'`);
  parsed(`0 0 0 * * * ${year}`, `year ${year} in '${cron}'`);
  const job = parsed(`0 0 0 ${day} ${month} ${weekday} ${year}`, `'${cron}'`);
  let known: { readonly from: number; readonly next: number } | undefined;
  return (from) => {
    if (known !== undefined && known.from <= from && from <= known.next) return known.next;
    const next = job.nextRun(new Date(from - 1_000))?.getTime();
    if (next !== undefined) known = { from, next };
    return next;
  };
}

function parsed(pattern: string, what: string): Cron {
  try {
    return new Cron(pattern, { timezone: "UTC", paused: true });
  } catch (error) {
    throw invalid(`cron is not a valid pattern: ${what}. ${reasonOf(error)}`, error);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? `${error.message.replace(/^CronPattern: /u, "")}.`.replace(/\.\.$/u, ".") : "";
}

/** The local day of an instant, given the offset of the zone there. */
export function localDayOf(instant: number, offset: number): number {
  return Math.floor((instant + offset) / dayMs) * dayMs;
}
