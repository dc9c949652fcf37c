import {
  isSpanContextValid,
  type Attributes,
  type Context,
  type Link,
  type Span,
  type SpanKind,
  type Tracer,
} from "@opentelemetry/api";

export interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  readonly parent: Context;
  /** Created only if a tracer records the span. */
  readonly details: () => { readonly attributes: Attributes; readonly links: Link[] };
}

/** Returns undefined while no SDK is registered. */
export type StartSpan = (start: SpanStart) => Span | undefined;

/**
 * Starts spans, or returns undefined while no SDK is registered. It checks each time, because an SDK may be registered later; the first
 * recorded span gets its details after its start.
 */
export function createSpanStarter(tracer: Tracer): StartSpan {
  let isSilent = false;
  return ({ name, kind, parent, details }) => {
    const span = tracer.startSpan(name, isSilent ? { kind } : { kind, ...details() }, parent);
    const wasSilent = isSilent;
    isSilent = !isSpanContextValid(span.spanContext());
    if (isSilent) return undefined;
    if (wasSilent) {
      const { attributes, links } = details();
      span.setAttributes(attributes).addLinks(links);
    }
    return span;
  };
}
