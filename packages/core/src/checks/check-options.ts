import { ChainwrightError } from "../model/error.ts";
import type { Schedule } from "../model/schedule.ts";
import { isUuid } from "./uuid.ts";

/** The latest moment a Date can name, in milliseconds since 1970. */
const latestMoment = 8.64e15;
/** A hundred thousand years. */
const longestDuration = 100_000 * 365 * 24 * 3_600_000;

/** An error about a value that the caller passed. */
export function invalid(message: string, cause?: unknown): ChainwrightError {
  return new ChainwrightError("invalid-input", message, cause === undefined ? {} : { cause });
}

/** Any value as text for an error. It does not read properties of the value, because that may throw. */
export function show(value: unknown): string {
  switch (typeof value) {
    case "string":
      return value.length > 100 ? `a string of ${value.length} characters` : `"${value}"`;
    case "object":
      return value === null ? "null" : "an object";
    case "function":
      return "a function";
    default:
      return String(value);
  }
}

/** The options that a caller passed, if they are an object. */
export function given<Options extends object>(options: Options, what: string): Options {
  if (typeof options === "object" && options !== null) return options;
  throw invalid(`the options of ${what} must be an object; got ${show(options)}.`);
}

/** The keys of an option object. Write them with `satisfies Record<keyof Options, true>`: a missing key then does not compile. */
export type OptionKeys = Readonly<Record<string, true>>;

/**
 * Rejects unknown keys: a misspelt option must not be ignored silently.
 *
 * @example
 * const keys = { maxAttempts: true, backoff: true, when: true } satisfies Record<keyof RetryOptions, true>;
 * checkKeys({ maxAttempts: 3 }, keys, "createMyAdapter");
 */
export function checkKeys(options: object, allowed: OptionKeys, what: string): void {
  for (const key of Object.keys(given(options, what))) {
    if (!Object.hasOwn(allowed, key))
      throw invalid(`${what} has no option "${key}"; its options are ${Object.keys(allowed).join(", ")}.`);
  }
}

/** `Array.isArray` for values whose elements are unknown. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/**
 * An integer within bounds.
 *
 * @example
 * const connections = checkInteger(10, "connections", { min: 1, max: 100 });
 */
export function checkInteger(
  value: number,
  what: string,
  range: { readonly min: number; readonly max: number },
): number {
  if (Number.isInteger(value) && value >= range.min && value <= range.max) return value;
  throw invalid(`${what} must be an integer from ${range.min} to ${range.max}; got ${show(value)}.`);
}

/**
 * A duration in milliseconds: from `min` to `max`, by default not too long for any store to add to its time. Returns an integer:
 * fractions are rounded up.
 *
 * @example
 * const busyTimeoutMs = checkDuration(30_000, "busyTimeoutMs", 1);
 */
export function checkDuration(value: number, what: string, min = 0, max = longestDuration): number {
  if (typeof value === "number" && value >= min && value <= max) return Math.ceil(value);
  throw invalid(`${what} must be a number of milliseconds from ${min} to ${max}; got ${show(value)}.`);
}

/** A UUID. Returns it in lower case. */
export function checkId(id: unknown, what: string): string {
  const text = typeof id === "string" ? id.toLowerCase() : "";
  if (!isUuid(text)) throw invalid(`${what} must be a UUID; got ${show(id)}.`);
  return text;
}

/** A string that every store can store: without NUL and unpaired surrogates, of limited length. */
export function checkText(value: unknown, what: string, longest: number): string {
  if (typeof value !== "string") throw invalid(`${what} must be a string; got ${show(value)}.`);
  if (value.length > longest) throw invalid(`${what} must have at most ${longest} characters; got ${value.length}.`);
  if (value.includes("\u0000") || !value.isWellFormed())
    throw invalid(`${what} must be a string without NUL and unpaired surrogates, which not every store can store.`);
  return value;
}

/**
 * The most bytes of names that stores index: together with the other columns they fit into an index entry of Postgres, which has
 * at most about 2,700 bytes. A type's name also fits into a message of every notify adapter.
 */
export const longestName = {
  typeName: 500,
  "deduplication.key": 2_000,
  "debounce.key": 2_000,
  "throttle.key": 2_000,
  deduplicationKey: 2_000,
} as const;

/** A name: not empty, and within its limit as JSON text, in which a quote or a tab has two bytes. */
export function checkName(value: unknown, what: keyof typeof longestName): string {
  const name = checkBytes(value, what, longestName[what]);
  if (what === "typeName") checkPrintable(name, what);
  return name;
}

/** A name of a pool of workers. */
export function checkPool(value: unknown, what = "pool"): string {
  if (typeof value !== "string" || value === "" || value.length > longestPool)
    throw invalid(`${what} must be a string of 1 to ${longestPool} characters; got ${show(value)}.`);
  return checkPrintable(checkText(value, what, longestPool), what);
}

const longestPool = 100;

/** Without control characters: stores write one between a type and its version or pool. */
function checkPrintable(name: string, what: string): string {
  if (/\p{Cc}/u.test(name)) throw invalid(`${what} must be a string without control characters; got ${show(name)}.`);
  return name;
}

/** A string that stores index: not empty, and within its limit as JSON text. */
export function checkBytes(value: unknown, what: string, longest: number): string {
  const text = checkText(value, what, Infinity);
  if (text === "") throw invalid(`${what} must be a string of 1 to ${longest} bytes; got "".`);
  // One character of a string is 6 bytes at most.
  const bytes = text.length * 6 <= longest ? 0 : new TextEncoder().encode(JSON.stringify(text)).length - 2;
  if (bytes <= longest) return text;
  throw invalid(
    `${what} must have at most ${longest} bytes as JSON text in UTF-8; got ${bytes}. Shorten it, or replace a part by its hash.`,
  );
}

/** A Date, or milliseconds since 1970. Returns milliseconds since 1970. */
export function checkMoment(value: unknown, what: string): number {
  const ms = timeOf(value);
  if (typeof ms === "number" && Number.isFinite(ms) && Math.abs(ms) <= latestMoment) return Math.round(ms);
  throw invalid(`${what} must be a valid Date; got ${show(value)}.`);
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
  throw invalid(`${what} must be { at: Date } or { afterMs: milliseconds }.`);
}

const scheduleKeys = { at: true, afterMs: true } satisfies Record<KeysOfAny<Schedule>, true>;

type KeysOfAny<Union> = Union extends unknown ? keyof Union : never;
