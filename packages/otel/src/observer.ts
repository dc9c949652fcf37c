import { metrics, trace, type MeterProvider, type TextMapPropagator, type TracerProvider } from "@opentelemetry/api";
import type { Observer } from "chainwright";
import type { ContextObserver, ObservedAttempt } from "chainwright/adapter";
import { attemptSpans } from "./attempt-spans.ts";
import { batchSizes } from "./batch-sizes.ts";
import { createContextText } from "./carrier.ts";
import { scope } from "./conventions.ts";
import { logEvents } from "./log-events.ts";
import { createMetrics } from "./metrics.ts";
import { createSpanStarter } from "./start-span.ts";
import { startCapture } from "./start-capture.ts";
import { stepSpans } from "./step-spans.ts";

/**
 * Options of `createOtelObserver`; all have defaults.
 *
 * @example
 * const longLived: OtelObserverOptions = { attemptTrace: "link", errorMessages: "include" };
 * const client = createClient({ stateAdapter, jobTypes, observers: [createOtelObserver(longLived)] });
 */
export interface OtelObserverOptions {
  /** Default: the global tracer provider. */
  readonly tracerProvider?: TracerProvider | undefined;
  /** Default: the global meter provider; register it before you create the observer. */
  readonly meterProvider?: MeterProvider | undefined;
  /** Carries the context from a start to its attempts. Default: the global propagator, or else only the W3C trace parent. */
  readonly propagator?: TextMapPropagator | undefined;
  /**
   * `"join"` (default): an attempt continues the trace in which its job was started, so a chain is one trace. `"link"`: each attempt
   * begins a trace of its own that is linked to the start; for chains that live long or loop often.
   */
  readonly attemptTrace?: "join" | "link" | undefined;
  /** Whether spans contain the messages of errors in addition to their types. Default: `"omit"`, because a message may quote a payload. */
  readonly errorMessages?: "omit" | "include" | undefined;
  /**
   * Whether the lines that handlers write with `log` are events of the span of their attempt, with their data. Default: `"omit"`, because a
   * line may quote a payload.
   */
  readonly logLines?: "omit" | "include" | undefined;
}

/**
 * An observer that also carries a context.
 *
 * @example
 * const otel: OtelObserver = createOtelObserver();
 * const quiet = (event: ChainwrightEvent) => {
 *   if (event.type !== "exchanged") otel(event);
 * };
 * const client = createClient({ stateAdapter, jobTypes, observers: [Object.assign(quiet, otel)] });
 */
export type OtelObserver = Observer & ContextObserver;

/**
 * Traces and measures a client and its workers by the semantic conventions for messaging. Spans nest only if a context manager is
 * registered, which the SDK does.
 *
 * @example
 * const client = createClient({ stateAdapter, jobTypes, observers: [createOtelObserver()] });
 */
export function createOtelObserver(options: OtelObserverOptions = {}): OtelObserver {
  const { attemptTrace = "join", errorMessages = "omit", logLines = "omit" } = options;
  const startSpan = createSpanStarter((options.tracerProvider ?? trace.getTracerProvider()).getTracer(scope));
  const text = createContextText(options.propagator);
  const attempts = attemptSpans({ startSpan, text, attemptTrace, errorMessages });
  const meter = (options.meterProvider ?? metrics.getMeterProvider()).getMeter(scope);
  const measure = createMetrics(meter);
  const measureBatch = batchSizes(meter);
  const observe: Observer = (event) => {
    attempts.onEvent(event);
    measure(event);
  };
  return Object.assign(observe, {
    capture: startCapture(startSpan, text),
    run: <T>(attempt: ObservedAttempt, body: () => Promise<T>): Promise<T> => {
      measureBatch(attempt);
      return attempts.run(attempt, body);
    },
    step: stepSpans(startSpan, errorMessages),
    ...(logLines === "include" && { log: logEvents() }),
  });
}
