import { context, ROOT_CONTEXT, SpanKind, trace, type Span } from "@opentelemetry/api";
import type { ChainwrightEvent } from "chainwright";
import type { ContextObserver } from "chainwright/adapter";
import type { ContextText } from "./carrier.ts";
import { failSpan, type ErrorMessages } from "./fail-span.ts";
import { withAttempt } from "./running-attempt.ts";
import { attemptAttributes, attemptLinks } from "./span-details.ts";
import type { StartSpan } from "./start-span.ts";

export interface AttemptSpanOptions {
  readonly startSpan: StartSpan;
  readonly text: ContextText;
  /** Whether an attempt continues the trace of its job's start, or begins a trace of its own that is linked to it. */
  readonly attemptTrace: "join" | "link";
  readonly errorMessages: ErrorMessages;
}

export interface AttemptSpans {
  readonly run: ContextObserver["run"];
  /** Ends the span of an attempt when the worker reports its end, so that a handler that hangs cannot keep it open. */
  onEvent(event: ChainwrightEvent): void;
}

/** Creates the spans of attempts; handlers run inside them. */
export function attemptSpans({ startSpan, text, attemptTrace, errorMessages }: AttemptSpanOptions): AttemptSpans {
  const open = new Map<string, Span>();
  return {
    run(attempt, body) {
      const origin = text.read(attempt.context);
      const parent = attemptTrace === "join" ? origin : trace.deleteSpan(origin);
      const span = startSpan({
        name: `process ${attempt.typeName}`,
        kind: SpanKind.CONSUMER,
        parent,
        details: () => ({ attributes: attemptAttributes(attempt), links: attemptLinks(text, attempt, origin) }),
      });
      if (span === undefined) return origin === ROOT_CONTEXT ? body() : context.with(origin, body);
      open.set(keyOf(attempt), span);
      return context.with(withAttempt(trace.setSpan(parent, span), { attempt, span }), body);
    },
    onEvent(event) {
      if (event.type !== "attempt-ended") return;
      const key = keyOf(event);
      const span = open.get(key);
      if (span === undefined) return;
      open.delete(key);
      if (event.error !== undefined) failSpan(span, event.error, errorMessages);
      span.end();
    },
  };
}

function keyOf({ jobId, attempt }: { readonly jobId: string; readonly attempt: number }): string {
  return `${jobId} ${attempt}`;
}
