import { formatDuration } from "./duration.ts";

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });
const clock = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});
const day = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", month: "short" });

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["year", 31_557_600_000],
  ["month", 2_629_800_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
];

/** `3 min. ago`, `in 2 hr.`, `now`. */
export function formatRelative(at: number, now: number): string {
  const distance = at - now;
  const [unit, size] = steps.find(([, each]) => Math.abs(distance) >= each) ?? ["second", 1_000];
  return relative.format(Math.trunc(distance / size), unit);
}

/** With date, seconds and time zone. */
export function formatExact(at: number): string {
  return exact.format(at);
}

/** `Fri, 20 Nov 2026, 09:00:00 CET`; in UTC if this browser does not know the zone. */
export function formatInZone(at: number, timeZone: string): string {
  const look = zoned.get(timeZone) ?? zonedFormat(timeZone);
  zoned.set(timeZone, look);
  return look.format(at);
}

const zoned = new Map<string, Intl.DateTimeFormat>();

function zonedFormat(timeZone: string): Intl.DateTimeFormat {
  const parts: Intl.DateTimeFormatOptions = {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZoneName: "short",
  };
  try {
    return new Intl.DateTimeFormat(undefined, { ...parts, timeZone });
  } catch {
    return new Intl.DateTimeFormat(undefined, { ...parts, timeZone: "UTC" });
  }
}

/** `14:05:09` */
export function formatClock(at: number): string {
  return clock.format(at);
}

/** `Sat, 21 Nov` */
export function formatDay(at: number): string {
  return day.format(at);
}

/** The value for `<input type="datetime-local">`, in local time. */
export function toLocalInput(at: number): string {
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** The age of a moment, for tables. */
export function formatAge(at: number, now: number): string {
  return formatDuration(now - at);
}
