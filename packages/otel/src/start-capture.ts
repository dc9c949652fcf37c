import { context, SpanKind, trace } from "@opentelemetry/api";
import type { ContextObserver } from "chainwright/adapter";
import type { ContextText } from "./carrier.ts";
import { attemptIn } from "./running-attempt.ts";
import { continuationLinks, jobAttributes } from "./span-details.ts";
import type { StartSpan } from "./start-span.ts";

/** Creates the span of a job's creation; its context is stored with the job. */
export function startCapture(startSpan: StartSpan, text: ContextText): ContextObserver["capture"] {
  return (job) => {
    const active = context.active();
    const span = startSpan({
      name: `${job.operation} ${job.typeName}`,
      kind: SpanKind.PRODUCER,
      parent: active,
      details: () => ({
        // For messages written in batches, the conventions require one creation span per message.
        attributes: jobAttributes({ type: "create", ...job }),
        links: job.operation === "continue" ? continuationLinks(attemptIn(active)?.span) : [],
      }),
    });
    if (span === undefined) return text.write(active);
    const written = text.write(trace.setSpan(active, span));
    // The span ends before the write: the store writes many jobs at once, and may still refuse or roll back.
    span.end();
    return written;
  };
}
