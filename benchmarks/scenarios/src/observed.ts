import { createOtelObserver } from "@chainwright/otel";
import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BatchSpanProcessor,
  InMemorySpanExporter,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Observer } from "chainwright";

/** What watches a client, and how it is emptied between rounds. */
export interface Observed {
  readonly observers: readonly Observer[];
  flush(): Promise<void>;
}

const nothing = async (): Promise<void> => undefined;

/** Each is a row of its own. */
export const observedBy: { readonly [Name in string]: () => Observed } = {
  none: () => ({ observers: [], flush: nothing }),
  "an observer that counts": () => {
    const counts: Partial<Record<string, number>> = {};
    const count: Observer = ({ type }) => {
      counts[type] = (counts[type] ?? 0) + 1;
    };
    return { observers: [count], flush: nothing };
  },
  "OpenTelemetry without an SDK": () => ({ observers: [createOtelObserver()], flush: nothing }),
  "metrics of OpenTelemetry": () => {
    const { meterProvider, flush } = openMeter();
    return { observers: [createOtelObserver({ meterProvider })], flush };
  },
  "metrics and 1 % of traces": () => sampled(0.01),
  "metrics and all traces": () => sampled(1),
};

/** An SDK with exporters in memory, as far as possible with its defaults. */
function sampled(ratio: number): Observed {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const exporter = new InMemorySpanExporter();
  // By default the queue holds 2,048 spans and drops more, which a round of these makes in 50 ms.
  const processor = new BatchSpanProcessor({ exporter, maxQueueSize: 1_000_000, maxExportBatchSize: 512 });
  const sampler = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
  const tracerProvider = new TracerProvider({ spanProcessors: [processor], sampler });
  const meter = openMeter();
  return {
    observers: [createOtelObserver({ tracerProvider, meterProvider: meter.meterProvider })],
    async flush() {
      await tracerProvider.forceFlush();
      exporter.reset();
      await meter.flush();
    },
  };
}

function openMeter() {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 10_000 });
  return {
    meterProvider: new MeterProvider({ readers: [reader] }),
    async flush() {
      await reader.forceFlush();
      exporter.reset();
    },
  };
}
