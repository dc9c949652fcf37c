import { isChainwrightError, type ChainwrightErrorCode } from "chainwright";
import { show } from "./show.ts";

/**
 * A rule that an adapter broke. `expected` and `actual` are where test runners look to print a difference.
 *
 * @example
 * for (const { name, run } of notifyConformance({ createAdapter })) {
 *   await run().catch((error: unknown) => {
 *     if (error instanceof ConformanceFailure) console.error(name, error.expected, error.actual);
 *   });
 * }
 */
export class ConformanceFailure extends Error {
  readonly expected: unknown;
  readonly actual: unknown;

  constructor(rule: string, facts: { readonly expected: unknown; readonly actual: unknown }) {
    super(`${rule}\n  expected: ${show(facts.expected)}\n  actual:   ${show(facts.actual)}`);
    this.name = "ConformanceFailure";
    this.expected = facts.expected;
    this.actual = facts.actual;
  }
}

/** What a value is compared with. Items may be `undefined`, because an item that was looked up may be missing. */
type Expected<T> = T extends readonly (infer Item)[] ? readonly (Expected<Item> | undefined)[] : T;

/** The values are deeply equal. An absent property equals one that is `undefined`. */
export function equal<T>(rule: string, actual: T, expected: NoInfer<Expected<T> | undefined>): void {
  if (!same(actual, expected)) throw new ConformanceFailure(rule, { expected, actual });
}

/** As `equal`, for lists whose order does not matter. */
export function sameMembers(rule: string, actual: readonly string[], expected: readonly string[]): void {
  equal(rule, inOrder(actual), inOrder(expected));
}

type Part<T> = { readonly [Key in keyof T]?: T[Key] | undefined };

/** The properties in `expected` have these values; other properties are ignored. */
export function match<T extends object>(rule: string, actual: T | undefined, expected: Part<T>): void {
  if (actual === undefined) throw new ConformanceFailure(rule, { expected, actual });
  if (!contains(actual, expected)) throw new ConformanceFailure(rule, { expected, actual });
}

export function holds(rule: string, condition: boolean, actual: unknown): void {
  if (!condition) throw new ConformanceFailure(rule, { expected: rule, actual });
}

/** Returns the value, which must not be missing. */
export function present<T>(rule: string, value: T | undefined | null): T {
  if (value === undefined || value === null) throw new ConformanceFailure(rule, { expected: "a value", actual: value });
  return value;
}

/** Returns the only item of a list. */
export function only<T>(rule: string, list: readonly T[]): T {
  const [item] = list;
  if (list.length !== 1 || item === undefined) {
    throw new ConformanceFailure(rule, { expected: "exactly one item", actual: list });
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
  throw new ConformanceFailure(rule, { expected: "a rejection", actual: { resolved: value } });
}

/** The promise rejects with a ChainwrightError of this code. */
export async function rejectsWith(
  rule: string,
  promise: Promise<unknown>,
  code: ChainwrightErrorCode,
): Promise<unknown> {
  const error = await rejected(rule, promise);
  if (!isChainwrightError(error, code)) throw new ConformanceFailure(rule, { expected: code, actual: error });
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
