import { context, SpanKind, trace } from "@opentelemetry/api";
import type { ContextObserver } from "chainwright";
import type { ContextText } from "./carrier.ts";
import { attemptIn } from "./running-attempt.ts";
import { continuationLinks, jobAttributes } from "./span-details.ts";
import type { StartSpan } from "./start-span.ts";

/** The span of a job's creation, whose context is kept with the job. */
export function startCapture(startSpan: StartSpan, text: ContextText): ContextObserver["capture"] {
  return (job) => {
    const active = context.active();
    const span = startSpan({
      name: `${job.operation} ${job.typeName}`,
      kind: SpanKind.PRODUCER,
      parent: active,
      details: () => ({
        // Where messages are written in batches the conventions give each of them a span of its creation.
        attributes: jobAttributes({ type: "create", ...job }),
        links: job.operation === "continue" ? continuationLinks(attemptIn(active)?.span) : [],
      }),
    });
    if (span === undefined) return text.write(active);
    const written = text.write(trace.setSpan(active, span));
    // What follows is the store's: it may still refuse or roll back, and it writes many jobs at once.
    span.end();
    return written;
  };
}
