import { context } from "@opentelemetry/api";
import type { ContextObserver } from "chainwright/adapter";
import { attribute } from "./conventions.ts";
import { attemptIn } from "./running-attempt.ts";

/** Longer texts are cut: a span is no place for a document. */
const mostCharacters = 1_000;

/** Adds each line that a handler logs to the span of its attempt, as an event. An SDK keeps 128 events of a span by default. */
export function logEvents(): NonNullable<ContextObserver["log"]> {
  return ({ level, message, data }) => {
    // Without a span there is nothing to add to; without a context manager it is unknown which one is meant.
    const text = textOf(data);
    attemptIn(context.active())?.span.addEvent("log", {
      [attribute.logLevel]: level,
      [attribute.logMessage]: cut(message),
      ...(text !== undefined && { [attribute.logData]: cut(text) }),
    });
  };
}

function cut(text: string): string {
  return text.length <= mostCharacters ? text : `${text.slice(0, mostCharacters)}...`;
}

function textOf(data: unknown): string | undefined {
  if (data === undefined) return undefined;
  try {
    return JSON.stringify(data);
  } catch {
    return undefined;
  }
}
