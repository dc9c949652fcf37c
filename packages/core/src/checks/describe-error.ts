import type { EventError } from "../model/event.ts";

/** The longest texts kept of an error, in UTF-16 units: enough to find the fault, too little to fill a store. */
const longestMessage = 4_000;
const longestStack = 8_000;

export interface DescribedError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
}

/**
 * Says what was thrown, whatever it was: a getter that throws, a revoked proxy, fifty megabytes, a lone surrogate. The
 * failure path must never fail over the failing value.
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

/** A property, if it is there, can be read and is text. */
function readText(error: Error, key: "name" | "message" | "stack" | "code"): string | undefined {
  try {
    const value: unknown = Reflect.get(error, key);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Half a code point, left at the end by a cut. */
const half = /[\uD800-\uDBFF]$/;

/** Cut to a length, never through a code point, and well-formed: every store can hold it. */
function text(value: string, longest: number): string {
  const cut = value.length <= longest ? value : `${value.slice(0, longest).replace(half, "")}…`;
  return cut.toWellFormed().replaceAll("\u0000", "\uFFFD");
}
