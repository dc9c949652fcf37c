import type { EventError } from "../model/event.ts";

/** The longest texts stored of an error, in UTF-16 units: enough to find the fault, and not enough to fill a store. */
const longestMessage = 4_000;
const longestStack = 8_000;

export interface DescribedError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
}

/**
 * Describes any thrown value: also one with a getter that throws, a revoked proxy, fifty megabytes of text, or an unpaired
 * surrogate. The handling of a failure must not fail because of the thrown value.
 */
export function describeError(error: unknown): DescribedError {
  try {
    return error instanceof Error
      ? describeInstance(error)
      : { name: "Error", message: text(String(error), longestMessage), stack: undefined };
  } catch {
    return {
      name: "Error",
      message: "an error that cannot be described: reading it threw another one",
      stack: undefined,
    };
  }
}

/** The part of an error that events carry. */
export function eventError(error: unknown): EventError {
  const { name, message } = describeError(error);
  return { name, message };
}

function describeInstance(error: Error): DescribedError {
  const code = readText(error, "code");
  const className = readText(error, "name") ?? "Error";
  const name = className === "ChainwrightError" && code !== undefined ? code : className;
  const stack = readText(error, "stack");
  return {
    name: text(name, 200),
    message: text(readText(error, "message") ?? "", longestMessage),
    stack: stack === undefined ? undefined : text(stack, longestStack),
  };
}

/** A property, if it exists, can be read and is a string. */
function readText(error: Error, key: "name" | "message" | "stack" | "code"): string | undefined {
  try {
    const value: unknown = Reflect.get(error, key);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The first half of a code point that a cut has split. */
const half = /[\uD800-\uDBFF]$/;

/** Shortens a text, never within a code point, and makes it well-formed, so that every store can store it. */
function text(value: string, longest: number): string {
  const cut = value.length <= longest ? value : `${value.slice(0, longest).replace(half, "")}…`;
  return cut.toWellFormed().replaceAll("\u0000", "\uFFFD");
}
