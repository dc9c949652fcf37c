import { UsageError } from "../usage-error.ts";

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const largestFirst = [
  ["d", units.d],
  ["h", units.h],
  ["m", units.m],
  ["s", units.s],
] as const;

/** Reads `500ms`, `30s`, `5m`, `2h`, `7d` or `1w`, as milliseconds. */
export function readDuration(text: string, option: string): number {
  const found = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)$/.exec(text);
  const unit = Object.entries(units).find(([name]) => name === found?.[2])?.[1];
  if (unit === undefined) throw new UsageError(`${option} must be a duration, such as 30s, 5m, 2h or 7d; got ${text}`);
  return Number(found?.[1]) * unit;
}

/** Reads a moment: a duration before now, or a time in ISO 8601. */
export function readMoment(text: string, option: string): Date {
  if (/^\d+(\.\d+)?[a-z]+$/.test(text)) return new Date(Date.now() - readDuration(text, option));
  const moment = new Date(text);
  if (!/^\d{4}-\d\d/.test(text) || Number.isNaN(moment.getTime()))
    throw new UsageError(
      `${option} must be a time, such as 2026-03-01T08:00Z, or a duration before now, such as 2h; got ${text}`,
    );
  return moment;
}

/** A duration for a person, in one unit. */
export function shownDuration(ms: number): string {
  const [unit, size] = largestFirst.find((each) => ms >= each[1]) ?? ["ms", 1];
  return `${Math.round(ms / size)}${unit}`;
}

const justNowMs = 1_000;

/** How long ago, or in how long, for a person. */
export function shownMoment(moment: Date, now: number): string {
  const ms = moment.getTime() - now;
  if (Math.abs(ms) < justNowMs) return "now";
  return ms > 0 ? `in ${shownDuration(ms)}` : `${shownDuration(-ms)} ago`;
}
