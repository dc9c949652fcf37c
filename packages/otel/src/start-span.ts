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
  /** What is put together only for somebody to see it. */
  readonly details: () => { readonly attributes: Attributes; readonly links: Link[] };
}

/** Answers undefined while there is no SDK. */
export type StartSpan = (start: SpanStart) => Span | undefined;

/**
 * Starts spans, or answers undefined while there is no SDK that would take them. It asks each time, for one may be registered
 * later; the span that finds it has its details set afterwards.
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
