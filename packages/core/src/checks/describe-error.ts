import { storableText } from "./storable-text.ts";
import type { EventError } from "../model/event-error.ts";
import { foldStack } from "./fold-stack.ts";
import { readProperty } from "./read-property.ts";
import { showThrown } from "./show-thrown.ts";

/** The longest texts of an error, in UTF-16 units: enough to find the fault, and not enough to fill a store. */
interface Limits {
  readonly message: number;
  readonly stack: number;
}

const limits: Limits = { message: 4_000, stack: 8_000 };
const limitsOfCauses: Limits = { message: 1_000, stack: 1_500 };
const longestName = 200;

/** How deep causes are followed, how many errors an `AggregateError` shows, and how many errors are described in all. */
const mostLevels = 5;
const mostErrors = 5;
const mostDescribed = 10;

/** The description of one thrown value. */
interface Description {
  /** Errors that were described already: a cause may lead back to them. */
  readonly seen: Set<unknown>;
  readonly level: number;
}

const undescribed: EventError = {
  name: "Error",
  message: "an error that cannot be described: reading it threw another one",
};

/**
 * Describes any thrown value with its causes: also one with a getter that throws, a revoked proxy, fifty megabytes of text, an
 * unpaired surrogate, or causes without end. The handling of a failure must not fail because of the thrown value.
 *
 * @example
 * const { name, message, cause } = describeError(new TypeError("fetch failed", { cause: new Error("ECONNREFUSED") }));
 * console.error(`${name}: ${message} (${cause?.message})`);
 */
export function describeError(error: unknown): EventError {
  return describe(error, { seen: new Set(), level: 0 });
}

function describe(error: unknown, description: Description): EventError {
  description.seen.add(error);
  const { message, stack } = description.level === 0 ? limits : limitsOfCauses;
  try {
    return isErrorLike(error)
      ? describeInstance(error, description, { message, stack })
      : { name: "Error", message: storableText(showThrown(error), message) };
  } catch {
    return undescribed;
  }
}

/** Also an error of another realm, which is no instance of this realm's `Error`. */
function isErrorLike(value: unknown): value is object {
  if (value instanceof Error) return true;
  if (typeof value !== "object" || value === null) return false;
  return typeof readProperty(value, "message") === "string" && typeof readProperty(value, "stack") === "string";
}

function describeInstance(error: object, description: Description, longest: Limits): EventError {
  const code = readCode(error);
  const className = readText(error, "name") ?? "Error";
  const isOwn = className === "ChainwrightError" && code !== undefined;
  const stack = readText(error, "stack");
  const cause = causeOf(error, description);
  const errors = errorsOf(error, description);
  return {
    name: storableText(isOwn ? code : className, longestName),
    message: storableText(readText(error, "message") ?? "", longest.message),
    ...(code !== undefined && !isOwn && { code: storableText(code, longestName) }),
    ...(stack !== undefined && {
      stack: storableText(foldStack(stack, { longest: longest.stack, isOwn }), longest.stack),
    }),
    ...(cause !== undefined && { cause }),
    ...(errors !== undefined && { errors }),
  };
}

function causeOf(error: object, { seen, level }: Description): EventError | undefined {
  const cause = readProperty(error, "cause");
  if (cause === undefined || cause === null || isEnough({ seen, level }) || seen.has(cause)) return undefined;
  return describe(cause, { seen, level: level + 1 });
}

/** The errors of an `AggregateError`, or of a list that an error of another class has and that contains errors. */
function errorsOf(error: object, { seen, level }: Description): readonly EventError[] | undefined {
  const errors = readProperty(error, "errors");
  if (!Array.isArray(errors) || errors.length === 0) return undefined;
  const first: readonly unknown[] = errors.slice(0, mostErrors);
  if (readText(error, "name") !== "AggregateError" && !first.some(isErrorLike)) return undefined;
  const described: EventError[] = [];
  for (const each of first)
    if (!isEnough({ seen, level }) && !seen.has(each)) described.push(describe(each, { seen, level: level + 1 }));
  const left = errors.length - described.length;
  if (left > 0) described.push({ name: "Error", message: `${left} more errors are not shown` });
  return described;
}

function isEnough({ seen, level }: Description): boolean {
  return level >= mostLevels || seen.size >= mostDescribed;
}

/** A property, if it exists, can be read and is a string. */
function readText(error: object, key: "name" | "message" | "stack"): string | undefined {
  const value = readProperty(error, key);
  return typeof value === "string" ? value : undefined;
}

function readCode(error: object): string | undefined {
  const code = readProperty(error, "code");
  return typeof code === "string" || typeof code === "number" ? String(code) : undefined;
}
