import { ChainwrightError } from "../model/error.ts";
import { longestLimitName, mostLimits } from "../model/limit.ts";
import type { DefinedLimit, JobLimit, LimitKey, LimitSlice } from "../model/limit.ts";
import { checkText, invalid, show } from "./check-options.ts";
import { parse } from "./json.ts";

/** The limits of a client at run time. */
export interface LimitRegistry {
  /** In the order of their names. */
  readonly all: readonly DefinedLimit[];
  has(limit: string): boolean;
  /** Whether jobs of a type may be under a limit, or under this one. */
  covers(typeName: string, limit?: string): boolean;
  /** Whether a job under these limits keeps its places while it waits for a retry: those of all of them, if one says so. */
  holds(limits: readonly LimitKey[]): boolean;
  /** The names of the limits that jobs of a type may be under. */
  namesOf(typeName: string): readonly string[];
  /**
   * The limits of a job, in the order of their names; undefined: none. @param text its input, in the newest version
   *
   * @throws `invalid-input` for what a key or a weight must not be, and with what their functions threw
   */
  limitsOf(typeName: string, text: string): readonly JobLimit[] | undefined;
}

const longestKey = 200;
const none: readonly string[] = [];
const largestWeight = 100;

export function createLimitRegistry(
  slices: readonly LimitSlice[] = [],
  isKnown: (typeName: string) => boolean,
): LimitRegistry {
  const all = slices
    .flatMap(({ limits }) => limits)
    .toSorted((one, other) => (one.name < other.name ? -1 : Number(one.name > other.name)));
  checkNames(all);
  const byType = groupByType(all);
  for (const [typeName, limits] of byType) checkType(typeName, limits, isKnown);
  return {
    all,
    has: (limit) => all.some(({ name }) => name === limit),
    covers: (typeName, limit) =>
      byType.get(typeName)?.some(({ name }) => limit === undefined || name === limit) ?? false,
    holds: (limits) => limits.some(({ limit }) => all.some(({ name, holds }) => holds && name === limit)),
    namesOf: (typeName) => byType.get(typeName)?.map(({ name }) => name) ?? none,
    limitsOf(typeName, text) {
      const limits = byType.get(typeName);
      if (limits === undefined) return undefined;
      // A key function must neither change the caller's input nor see what is not stored.
      const input = parse(text);
      const own = limits.map((limit) => limitOf(limit, typeName, input)).filter((limit) => limit !== undefined);
      return own.length === 0 ? undefined : own;
    },
  };
}

function checkNames(all: readonly DefinedLimit[]): void {
  const twice = all.find(({ name }, place) => all[place - 1]?.name === name);
  if (twice === undefined) return;
  throw new ChainwrightError(
    "duplicate-limit",
    `the limit "${twice.name}" is defined by two of \`limits\`; give one of them another name.`,
  );
}

function groupByType(all: readonly DefinedLimit[]): ReadonlyMap<string, readonly DefinedLimit[]> {
  const byType = new Map<string, DefinedLimit[]>();
  for (const limit of all) {
    for (const typeName of Object.keys(limit.keys)) byType.set(typeName, [...(byType.get(typeName) ?? []), limit]);
  }
  return byType;
}

function checkType(typeName: string, limits: readonly DefinedLimit[], isKnown: (typeName: string) => boolean): void {
  if (!isKnown(typeName))
    throw invalid(`limits has "${typeName}", which is not a job type of the client; give its slice to createClient.`);
  if (limits.length <= mostLimits) return;
  const names = limits.map(({ name }) => name).join(", ");
  throw invalid(`"${typeName}" may be under at most ${mostLimits} limits; got ${limits.length}: ${names}.`);
}

function limitOf({ name, keys, weight, holds }: DefinedLimit, typeName: string, input: unknown): JobLimit | undefined {
  const of = `the limit "${name}" of "${typeName}"`;
  const given = called(() => keys[typeName]?.(input), `the key function of ${of}`);
  if (given === undefined) return undefined;
  const key = checkLimitKey(given, `the key of ${of}`);
  const share = weight === undefined ? 1 : called(() => weight(key), `the weight function of ${of}`);
  return {
    limit: name,
    key,
    weight: share === 1 ? undefined : checkWeight(share, `the weight of key ${show(key)} of the limit "${name}"`),
    holds: holds ? true : undefined,
  };
}

function called(call: () => unknown, what: string): unknown {
  try {
    return call();
  } catch (error) {
    throw invalid(`${what} threw an error, so nothing was written.`, error);
  }
}

/** A key of a limit. */
export function checkLimitKey(value: unknown, what: string): string {
  if (typeof value !== "string" || value === "" || value.length > longestKey)
    throw invalid(
      `${what} must be a string of 1 to ${longestKey} characters, or undefined; got ${show(value)}. Shorten a long one by a hash.`,
    );
  return checkText(value, what, longestKey);
}

export function checkLimitName(limit: unknown): string {
  const name = checkText(limit, "limit", longestLimitName);
  if (name === "") throw invalid(`limit must be the name of a limit; got "".`);
  return name;
}

function checkWeight(value: unknown, what: string): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= largestWeight) return value;
  throw invalid(`${what} must be an integer from 1 to ${largestWeight}; got ${show(value)}.`);
}
