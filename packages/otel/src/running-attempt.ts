import { createContextKey, type Context, type Span } from "@opentelemetry/api";
import type { ObservedAttempt } from "chainwright/adapter";

/** A running attempt, stored in the context of its handler. */
export interface RunningAttempt {
  readonly attempt: ObservedAttempt;
  readonly span: Span;
}

const key = createContextKey("chainwright attempt");

export function withAttempt(context: Context, running: RunningAttempt): Context {
  return context.setValue(key, running);
}

export function attemptIn(context: Context): RunningAttempt | undefined {
  const value = context.getValue(key);
  return isRunningAttempt(value) ? value : undefined;
}

function isRunningAttempt(value: unknown): value is RunningAttempt {
  return typeof value === "object" && value !== null && "attempt" in value && "span" in value;
}
