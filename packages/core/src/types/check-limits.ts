import { longestLimitName, mostLimits } from "../model/limit.ts";
import type { DefinedBreaker, DefinedLimit, LimitRate, LimitRule, LimitSlice } from "../model/limit.ts";
import { kindOf, wrongDefinition } from "./check-definition.ts";

const optionKeys = ["jobTypes", "limits"];
const limitKeys = ["keys", "concurrency", "rate", "weight", "whileRetrying", "breaker"];
const breakerKeys = ["failures", "withinMs", "openMs", "counts"];
const rateKeys = ["count", "perMs", "spread"];
const mostTokens = 10_000;
/** As many as a store keeps for a key. */
const mostPlaces = 1_000_000;
/** As many as a store keeps for a key. */
const mostFailures = 1_000;
/** The longest span of a rate or a breaker: 30 days. */
const longestSpanMs = 30 * 86_400_000;

type Fields = Readonly<Record<string, unknown>>;

/** Checks limits: their numbers, and what JavaScript code may have written, or a type that the compiler does not check. */
export function checkLimits(options: object): LimitSlice {
  const given = record(options, "the options of defineLimits");
  refuseUnknown(given, optionKeys, "defineLimits has no option");
  const names = namesOf(given["jobTypes"]);
  const limits = Object.entries(record(given["limits"], "limits")).map(([name, limit]) =>
    checkLimit(name, record(limit, `the limit "${name}"`), names),
  );
  refuseTooMany(limits);
  return { limits };
}

/** The job types of the slices. Undefined: some of them are declared by types alone, so they are not known at run time. */
function namesOf(jobTypes: unknown): readonly string[] | undefined {
  const slices: readonly unknown[] = Array.isArray(jobTypes) ? jobTypes : [jobTypes];
  const names = slices.map((slice) => {
    const { definitions } = record(slice, "jobTypes");
    return definitions === undefined ? undefined : Object.keys(record(definitions, "jobTypes"));
  });
  return names.some((each) => each === undefined) ? undefined : names.flatMap((each) => each ?? []);
}

function checkLimit(name: string, limit: Fields, names: readonly string[] | undefined): DefinedLimit {
  if (name === "" || name.length > longestLimitName || /\p{Cc}/u.test(name) || !name.isWellFormed())
    throw wrongDefinition(
      `the name of a limit must be a string of 1 to ${longestLimitName} characters without control characters; got ${JSON.stringify(name)}`,
    );
  refuseUnknown(limit, limitKeys, `the limit "${name}" has no option`);
  const { weight, whileRetrying } = limit;
  if (whileRetrying !== undefined && whileRetrying !== "hold")
    throw wrongDefinition(`whileRetrying of "${name}" must be "hold" or be left out; got ${kindOf(whileRetrying)}`);
  if (weight !== undefined && !isFunction(weight))
    throw wrongDefinition(
      `weight of "${name}" must be a function that returns the weight of a key; got ${kindOf(weight)}`,
    );
  const rule = checkRule(limit, `"${name}"`);
  const isHolding = whileRetrying === "hold";
  if (isHolding && rule.concurrency === undefined)
    throw wrongDefinition(
      `"${name}" has whileRetrying: "hold" and no concurrency, so there is no place to hold; add concurrency: 1 to keep the order of a key`,
    );
  const breaker = limit["breaker"] === undefined ? undefined : checkBreaker(name, limit["breaker"], rule);
  return { name, keys: checkKeyFunctions(name, limit["keys"], names), rule, weight, holds: isHolding, breaker };
}

function checkKeyFunctions(name: string, given: unknown, names: readonly string[] | undefined): DefinedLimit["keys"] {
  const keys: [string, (input: unknown) => unknown][] = [];
  for (const [typeName, key] of Object.entries(record(given, `keys of "${name}"`))) {
    if (names?.includes(typeName) === false)
      throw wrongDefinition(`keys of "${name}" has "${typeName}", which is not a job type of these slices`);
    if (!isFunction(key))
      throw wrongDefinition(
        `the key of "${typeName}" in "${name}" must be a function of its input; got ${kindOf(key)}`,
      );
    keys.push([typeName, key]);
  }
  if (keys.length === 0)
    throw wrongDefinition(`keys of "${name}" must have a function for at least one job type; got none`);
  return Object.fromEntries(keys);
}

/** Checks the numbers of a limit. @param of the limit, for the error: `"smtp"` */
export function checkRule({ concurrency, rate }: Fields, of: string): LimitRule {
  if (concurrency === 0)
    throw wrongDefinition(`concurrency of ${of} must be at least 1; got 0. To let no job begin, use pauseLimit`);
  return {
    concurrency:
      concurrency === undefined ? undefined : integer(concurrency, `concurrency of ${of}`, { max: mostPlaces }),
    rate: rate === undefined ? undefined : checkRate(record(rate, `rate of ${of}`), of),
  };
}

function checkBreaker(name: string, given: unknown, rule: LimitRule): DefinedBreaker {
  const of = `breaker of "${name}"`;
  const breaker = record(given, of);
  refuseUnknown(breaker, breakerKeys, `${of} has no option`);
  if (rule.concurrency === undefined && rule.rate === undefined)
    throw wrongDefinition(
      `"${name}" has a breaker and neither concurrency nor rate, so its keys only take turns; add one of the two`,
    );
  const { failures, counts } = breaker;
  if (!isFunction(counts))
    throw wrongDefinition(
      `counts of the ${of} must be a function that returns whether an error counts; got ${kindOf(counts)}`,
    );
  return {
    failures: integer(failures, `failures of the ${of}`, { max: mostFailures }),
    withinMs: span(breaker["withinMs"], `withinMs of the ${of}`),
    openMs: span(breaker["openMs"], `openMs of the ${of}`),
    counts,
  };
}

function span(value: unknown, what: string): number {
  if (typeof value === "number" && value > 0 && value <= longestSpanMs) return value;
  throw wrongDefinition(
    `${what} must be a number of milliseconds above 0 and at most ${longestSpanMs}; got ${shown(value)}`,
  );
}

function checkRate(rate: Fields, of: string): LimitRate {
  refuseUnknown(rate, rateKeys, `rate of ${of} has no option`);
  const { count, perMs, spread = false } = rate;
  const remedy = `to let as many begin, divide both count and perMs: a rate of { count: 1_000, perMs: 100 } allows 10,000 a second`;
  const tokens = integer(count, `rate.count of ${of}`, { max: mostTokens, remedy });
  if (typeof spread !== "boolean")
    throw wrongDefinition(`rate.spread of ${of} must be true or false; got ${kindOf(spread)}`);
  return { count: tokens, perMs: span(perMs, `rate.perMs of ${of}`), spread };
}

function refuseTooMany(limits: readonly DefinedLimit[]): void {
  for (const typeName of new Set(limits.flatMap(({ keys }) => Object.keys(keys)))) {
    const own = limits.filter(({ keys }) => Object.hasOwn(keys, typeName));
    if (own.length > mostLimits)
      throw wrongDefinition(
        `"${typeName}" may be under at most ${mostLimits} limits; got ${own.length}: ${own.map(({ name }) => name).join(", ")}`,
      );
  }
}

function integer(
  value: unknown,
  what: string,
  { max, remedy }: { readonly max: number; readonly remedy?: string },
): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= max) return value;
  const wrong = `${what} must be an integer from 1 to ${max}; got ${shown(value)}`;
  throw wrongDefinition(remedy === undefined ? wrong : `${wrong}; ${remedy}`);
}

function shown(value: unknown): string {
  return typeof value === "number" ? String(value) : kindOf(value);
}

function refuseUnknown(fields: Fields, known: readonly string[], what: string): void {
  const unknownKey = Object.keys(fields).find((key) => !known.includes(key));
  if (unknownKey !== undefined) throw wrongDefinition(`${what} "${unknownKey}"; it has ${known.join(", ")}`);
}

function isFunction(value: unknown): value is (argument: unknown) => unknown {
  return typeof value === "function";
}

function record(value: unknown, what: string): Fields {
  if (typeof value !== "object" || value === null)
    throw wrongDefinition(`${what} must be an object; got ${kindOf(value)}`);
  return { ...value };
}
