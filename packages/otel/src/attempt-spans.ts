import { context, ROOT_CONTEXT, SpanKind, trace, type Span } from "@opentelemetry/api";
import type { ChainwrightEvent } from "chainwright";
import type { ContextObserver, EventError } from "chainwright/adapter";
import type { ContextText } from "./carrier.ts";
import { attribute } from "./conventions.ts";
import { failSpan, type ErrorMessages } from "./fail-span.ts";
import { withAttempt } from "./running-attempt.ts";
import { attemptAttributes, attemptLinks, batchLinks } from "./span-details.ts";
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

/** The span of an attempt, which the jobs of a batch share. */
interface OpenSpan {
  readonly span: Span;
  readonly isBatch: boolean;
  /** The jobs whose attempts have not ended. */
  running: number;
  failed: number;
}

/** Creates the spans of attempts; handlers run inside them. */
export function attemptSpans({ startSpan, text, attemptTrace, errorMessages }: AttemptSpanOptions): AttemptSpans {
  const open = new Map<string, OpenSpan>();
  return {
    run(attempt, body) {
      // No trace of a job is that of its batch, which is linked to all of them.
      const origin = attempt.batch === undefined ? text.read(attempt.context) : ROOT_CONTEXT;
      const parent = attemptTrace === "join" ? origin : trace.deleteSpan(origin);
      const span = startSpan({
        name: `process ${attempt.typeName}`,
        kind: SpanKind.CONSUMER,
        parent,
        details: () => ({
          attributes: attemptAttributes(attempt),
          links: attempt.batch === undefined ? attemptLinks(text, attempt, origin) : batchLinks(text, attempt.batch),
        }),
      });
      if (span === undefined) return origin === ROOT_CONTEXT ? body() : context.with(origin, body);
      const { batch = [attempt] } = attempt;
      const shared = { span, isBatch: attempt.batch !== undefined, running: batch.length, failed: 0 };
      for (const job of batch) open.set(keyOf(job), shared);
      return context.with(withAttempt(trace.setSpan(parent, span), { attempt, span }), body);
    },
    onEvent(event) {
      if (event.type !== "attempt-ended") return;
      const key = keyOf(event);
      const ending = open.get(key);
      if (ending === undefined) return;
      open.delete(key);
      end(ending, event.error, errorMessages);
    },
  };
}

/** Of a batch the span ends with the last of its jobs, and the first error marks it. */
function end(ending: OpenSpan, error: EventError | undefined, errorMessages: ErrorMessages): void {
  const { span, isBatch } = ending;
  ending.running -= 1;
  if (error !== undefined) {
    if (ending.failed === 0) failSpan(span, error, errorMessages);
    ending.failed += 1;
  }
  if (ending.running > 0) return;
  if (isBatch) span.setAttribute(attribute.batchFailed, ending.failed);
  span.end();
}

function keyOf({ jobId, attempt }: { readonly jobId: string; readonly attempt: number }): string {
  return `${jobId} ${attempt}`;
}
