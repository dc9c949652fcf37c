import { ChainwrightError } from "../model/error.ts";
import type { Schedule } from "../model/schedule.ts";
import { isUuid } from "./uuid.ts";

/** The latest moment a Date can name, in milliseconds since 1970. */
const latestMoment = 8.64e15;
/** A hundred thousand years. */
const longestDuration = 100_000 * 365 * 24 * 3_600_000;

/** An error about what the caller passed. */
export function invalid(message: string, cause?: unknown): ChainwrightError {
  return new ChainwrightError("invalid-input", message, cause === undefined ? {} : { cause });
}

/** A value in an error's text, whatever it is: looking into it might throw. */
export function show(value: unknown): string {
  switch (typeof value) {
    case "string":
      return value.length > 100 ? `a text of ${value.length} characters` : `"${value}"`;
    case "object":
      return value === null ? "null" : "an object";
    case "function":
      return "a function";
    default:
      return String(value);
  }
}

/** What a caller passed as options, if it is an object. */
export function given<Options extends object>(options: Options, what: string): Options {
  if (typeof options === "object" && options !== null) return options;
  throw invalid(`${what} takes an object, got ${show(options)}.`);
}

/** Refuses keys that an option object does not have: a misspelt option must not be dropped in silence. */
export function checkKeys(options: object, allowed: ReadonlySet<string>, what: string): void {
  for (const key of Object.keys(given(options, what))) {
    if (!allowed.has(key)) throw invalid(`${what} has no option "${key}"; it takes ${[...allowed].join(", ")}.`);
  }
}

/** `Array.isArray` for values whose elements nobody vouches for. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** A whole number within bounds. */
export function checkInteger(
  value: number,
  what: string,
  range: { readonly min: number; readonly max: number },
): number {
  if (Number.isInteger(value) && value >= range.min && value <= range.max) return value;
  throw invalid(`${what} is a whole number from ${range.min} to ${range.max}, got ${show(value)}.`);
}

/**
 * A duration in milliseconds: not negative, zero only where it makes sense, and no longer than any store can add to its time.
 * Answered as a whole number.
 */
export function checkDuration(value: number, what: string, min = 0): number {
  if (typeof value === "number" && value >= min && value <= longestDuration) return Math.ceil(value);
  throw invalid(`${what} is a number of milliseconds from ${min} to ${longestDuration}, got ${show(value)}.`);
}

/** A UUID, answered in lower case. */
export function checkId(id: unknown, what: string): string {
  const text = typeof id === "string" ? id.toLowerCase() : "";
  if (!isUuid(text)) throw invalid(`${what} is a UUID, got ${show(id)}.`);
  return text;
}

/** A text that every store can hold: no NUL, no lone surrogates, of bounded length. */
export function checkText(value: unknown, what: string, longest: number): string {
  if (typeof value !== "string") throw invalid(`${what} is a text, got ${typeof value}.`);
  if (value.length > longest) throw invalid(`${what} has ${value.length} characters; the limit is ${longest}.`);
  if (value.includes("\u0000") || !value.isWellFormed())
    throw invalid(`${what} contains a NUL or half a character, which not every store can hold.`);
  return value;
}

/**
 * The most bytes of what a store has to find again: together, and with what stands beside them, they fit into an index of Postgres,
 * which takes about 2,700. A type's name fits into the message of every notify adapter, too.
 */
export const longestName = { typeName: 500, "deduplication.key": 2_000 } as const;

/** A text that identifies something: not empty, and within its limit as JSON, in which a quote has two bytes and a tab, too. */
export function checkName(value: unknown, what: keyof typeof longestName): string {
  const longest = longestName[what];
  const text = checkText(value, what, Infinity);
  if (text === "") throw invalid(`${what} must be a text of 1 to ${longest} bytes; got an empty one.`);
  // One character of a string is 6 bytes at most.
  const bytes = text.length * 6 <= longest ? 0 : new TextEncoder().encode(JSON.stringify(text)).length - 2;
  if (bytes <= longest) return text;
  throw invalid(
    `${what} must have at most ${longest} bytes as JSON text in UTF-8; got ${bytes}. Shorten it, or put a hash in place of a part.`,
  );
}

/** A moment, as milliseconds since 1970. */
export function checkMoment(value: unknown, what: string): number {
  const ms = timeOf(value);
  if (typeof ms === "number" && Number.isFinite(ms) && Math.abs(ms) <= latestMoment) return Math.round(ms);
  throw invalid(`${what} is a valid Date, got ${show(value)}.`);
}

function timeOf(value: unknown): unknown {
  try {
    return value instanceof Date ? value.getTime() : value;
  } catch {
    // A revoked proxy throws at the first look.
    return undefined;
  }
}

/** `{ at }` or `{ afterMs }`, exactly one of them. */
export function checkSchedule(value: object, what: string): Schedule {
  checkKeys(value, scheduleKeys, what);
  if ("at" in value && !("afterMs" in value)) return { at: checkMoment(value.at, `${what}.at`) };
  if ("afterMs" in value && !("at" in value) && typeof value.afterMs === "number") {
    return { afterMs: checkDuration(value.afterMs, `${what}.afterMs`) };
  }
  throw invalid(`${what} is either { at: Date } or { afterMs: milliseconds }.`);
}

const scheduleKeys: ReadonlySet<string> = new Set(["at", "afterMs"]);
