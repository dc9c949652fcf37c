import { context, SpanKind, trace, type Span } from "@opentelemetry/api";
import type { ContextObserver } from "chainwright/adapter";
import { failSpan, type ErrorMessages } from "./fail-span.ts";
import { nameThrown } from "./name-thrown.ts";
import { attemptIn } from "./running-attempt.ts";
import { jobAttributes } from "./span-details.ts";
import type { StartSpan } from "./start-span.ts";

/** Creates the spans of `prepare` and `complete`, the two steps in which a handler writes. */
export function stepSpans(startSpan: StartSpan, errorMessages: ErrorMessages): NonNullable<ContextObserver["step"]> {
  /** Ends the span when the step ends. */
  const within = async <T>(span: Span, stepped: Promise<T>): Promise<T> => {
    try {
      return await stepped;
    } catch (error) {
      const thrown = nameThrown(error);
      if (thrown !== undefined) failSpan(span, thrown, errorMessages);
      throw error;
    } finally {
      span.end();
    }
  };

  return (name, body) => {
    const active = context.active();
    const running = attemptIn(active);
    // The attempt is not traced; or there is no context manager, so the attempt of this step is unknown.
    if (running === undefined) return body();
    const { typeName, jobId, batch } = running.attempt;
    const type = name === "complete" ? "settle" : undefined;
    const span = startSpan({
      name: `${name} ${typeName}`,
      kind: SpanKind.INTERNAL,
      parent: active,
      details: () => ({ attributes: jobAttributes({ operation: name, type, typeName, jobId, batch }), links: [] }),
    });
    return span === undefined ? body() : within(span, context.with(trace.setSpan(active, span), body));
  };
}
