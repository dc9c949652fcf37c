import { isChainwrightError, type ChainwrightErrorCode } from "chainwright";
import { show } from "./show.ts";

/**
 * A rule that an adapter broke. `expected` and `actual` are where test runners look to print a difference. The message ends with
 * the last call of the adapter, its request and its reply.
 *
 * @example
 * for (const { name, run } of notifyConformance({ createAdapter })) {
 *   await run().catch((error: unknown) => {
 *     if (error instanceof ConformanceFailure) console.error(name, error.expected, error.actual);
 *   });
 * }
 */
export class ConformanceFailure extends Error {
  /** Absent: the rule compares nothing with a value. */
  declare readonly expected?: unknown;
  declare readonly actual?: unknown;

  constructor(message: string, facts: Pick<Facts, "expected" | "actual"> = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = "ConformanceFailure";
    if ("expected" in facts) this.expected = facts.expected;
    if ("actual" in facts) this.actual = facts.actual;
  }
}

interface Facts {
  readonly expected?: unknown;
  readonly actual?: unknown;
  /** What was expected, in words. */
  readonly wanted?: string;
  /** Where in the actual value the first difference is. */
  readonly at?: string | undefined;
}

/** The failure of a check, with what it expected and what it got. */
export function failureOf(rule: string, facts: Facts): ConformanceFailure {
  const lines = [rule];
  if (facts.wanted !== undefined) lines.push(`expected: ${facts.wanted}`);
  else if ("expected" in facts) lines.push(`expected: ${show(facts.expected, 2)}`);
  lines.push(`actual:   ${show(facts.actual, 2)}`);
  if (facts.at !== undefined && facts.at !== "") lines.push(`first difference: actual${facts.at}`);
  return new ConformanceFailure(lines.join("\n  "), facts);
}

/** What a value is compared with. Items may be `undefined`, because an item that was looked up may be missing. */
type Expected<T> = T extends readonly (infer Item)[] ? readonly (Expected<Item> | undefined)[] : T;

/** The values are deeply equal. An absent property equals one that is `undefined`. */
export function equal<T>(rule: string, actual: T, expected: NoInfer<Expected<T> | undefined>): void {
  if (!same(actual, expected)) throw failureOf(rule, { expected, actual, at: differenceAt(actual, expected) });
}

/** As `equal`, for lists whose order does not matter. */
export function sameMembers(rule: string, actual: readonly string[], expected: readonly string[]): void {
  equal(rule, inOrder(actual), inOrder(expected));
}

type Part<T> = { readonly [Key in keyof T]?: T[Key] | undefined };

/** The properties in `expected` have these values; other properties are ignored. */
export function match<T extends object>(rule: string, actual: T | undefined, expected: Part<T>): void {
  if (actual === undefined) throw failureOf(rule, { expected, actual });
  if (contains(actual, expected)) return;
  const part = Object.fromEntries(Object.keys(expected).map((key) => [key, Reflect.get(actual, key)]));
  throw failureOf(rule, { expected, actual: part });
}

export function holds(rule: string, condition: boolean, actual: unknown): void {
  if (!condition) throw failureOf(rule, { actual });
}

/** Returns the value, which must not be missing. */
export function present<T>(rule: string, value: T | undefined | null): T {
  if (value === undefined || value === null) throw failureOf(rule, { wanted: "a value", actual: value });
  return value;
}

/** Returns the only item of a list. */
export function only<T>(rule: string, list: readonly T[]): T {
  const [item] = list;
  if (list.length !== 1 || item === undefined) {
    throw failureOf(rule, { wanted: "exactly one item", actual: list });
  }
  return item;
}

/** Returns the error that the promise rejects with. */
export async function rejected(rule: string, promise: Promise<unknown>): Promise<unknown> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  throw failureOf(rule, { wanted: "a rejection", actual: value });
}

/** The promise rejects with a ChainwrightError of this code. */
export async function rejectsWith(
  rule: string,
  promise: Promise<unknown>,
  code: ChainwrightErrorCode,
): Promise<unknown> {
  const error = await rejected(rule, promise);
  if (!isChainwrightError(error, code))
    throw failureOf(rule, { wanted: `an error with the code "${code}"`, actual: error });
  return error;
}

function inOrder(list: readonly string[]): readonly string[] {
  return list.toSorted((left, right) => (left < right ? -1 : Number(left > right)));
}

function same(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => same(item, right[index]));
  }
  return contains(left, right) && contains(right, left);
}

function contains(whole: object, part: object): boolean {
  return Object.keys(part).every((key) => same(Reflect.get(whole, key), Reflect.get(part, key)));
}

/** The path of the first difference, as `[2].status`. */
function differenceAt(actual: unknown, expected: unknown): string {
  if (!isObject(actual) || !isObject(expected) || Array.isArray(actual) !== Array.isArray(expected)) return "";
  const keys = [...new Set([...Object.keys(expected), ...Object.keys(actual)])];
  const key = keys.find((each) => !same(Reflect.get(actual, each), Reflect.get(expected, each)));
  if (key === undefined) return "";
  const place = Array.isArray(actual) ? `[${key}]` : `.${key}`;
  return place + differenceAt(Reflect.get(actual, key), Reflect.get(expected, key));
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
