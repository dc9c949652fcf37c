import {
  propagation,
  ROOT_CONTEXT,
  trace,
  TraceFlags,
  type Context,
  type SpanContext,
  type TextMapPropagator,
} from "@opentelemetry/api";

/** Converts a context to the text that is stored with a job, and back in the process that runs the job. */
export interface ContextText {
  write(context: Context): string | undefined;
  /** Returns the root context for a text that it cannot read, such as that of another observer. */
  read(text: string | undefined): Context;
}

const parentKey = "traceparent";
const parentPattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Uses the given propagator, or else the globally registered one, or else only the W3C trace parent. */
export function createContextText(given: TextMapPropagator | undefined): ContextText {
  const propagator: Pick<TextMapPropagator, "inject" | "extract" | "fields"> = given ?? propagation;
  const setter = { set: (carrier: Map<string, string>, key: string, value: string) => void carrier.set(key, value) };
  const getter = {
    get: (carrier: Map<string, string>, key: string) => carrier.get(key),
    keys: (carrier: Map<string, string>) => [...carrier.keys()],
  };
  return {
    write(context) {
      const span = trace.getSpanContext(context);
      // There is no trace, and no propagator that could carry anything else.
      if (span === undefined && propagator.fields().length === 0) return undefined;
      const carrier = new Map<string, string>();
      propagator.inject(context, carrier, setter);
      if (carrier.size === 0) return span === undefined ? undefined : parentText(span);
      // Usually there is only the trace parent, which needs no JSON.
      const parent = carrier.size === 1 ? carrier.get(parentKey) : undefined;
      return parent ?? JSON.stringify(Object.fromEntries(carrier));
    },
    read(text) {
      if (text === undefined) return ROOT_CONTEXT;
      const carrier = carrierOf(text);
      const context = propagator.extract(ROOT_CONTEXT, carrier, getter);
      if (trace.getSpanContext(context) !== undefined) return context;
      const span = spanContextOf(carrier.get(parentKey) ?? "");
      return span === undefined ? context : trace.setSpanContext(context, span);
    },
  };
}

function carrierOf(text: string): Map<string, string> {
  if (!text.startsWith("{")) return new Map([[parentKey, text]]);
  try {
    const fields: unknown = JSON.parse(text);
    const entries = typeof fields === "object" && fields !== null ? Object.entries(fields) : [];
    return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  } catch {
    return new Map();
  }
}

function parentText({ traceId, spanId, traceFlags }: SpanContext): string | undefined {
  const text = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
  return spanContextOf(text) === undefined ? undefined : text;
}

function spanContextOf(text: string): SpanContext | undefined {
  const [, traceId = "", spanId = "", flags = ""] = parentPattern.exec(text) ?? [];
  if (/^0*$/.test(traceId) || /^0*$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
}
