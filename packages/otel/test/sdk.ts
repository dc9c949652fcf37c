import { context, ROOT_CONTEXT } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
  type MetricData,
} from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider, type ReadableSpan } from "@opentelemetry/sdk-trace";
import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  type Observer,
} from "chainwright";
import { drain, recordEvents } from "chainwright/testing";

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

/** The SDK with exporters in memory. */
export function createSdk() {
  const spanExporter = new InMemorySpanExporter();
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 3_600_000 });
  const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spanExporter })] });
  return {
    tracerProvider,
    meterProvider: new MeterProvider({ readers: [reader] }),
    reader,
    spans: (): readonly ReadableSpan[] => spanExporter.getFinishedSpans(),
    async metrics(): Promise<readonly MetricData[]> {
      await reader.forceFlush();
      return metricExporter.getMetrics().at(-1)?.scopeMetrics[0]?.metrics ?? [];
    },
  };
}

const jobTypes = defineJobTypes<{ echo: { entry: true; input: { fail?: string }; output: null } }>();

/** Runs one chain of one job outside of any span; resolves with its id when the end of its attempt was reported. */
export async function runOnce(observer: Observer, input: { fail?: string } = {}): Promise<string> {
  const events = recordEvents();
  const client = createClient({
    stateAdapter: createInProcessStateAdapter(),
    jobTypes,
    observers: [observer, events.observer],
  });
  const processors = createProcessors({
    client,
    jobTypes,
    processors: {
      echo: {
        retry: { maxAttempts: 1 },
        handler: async ({ job, complete }) => {
          if (job.input.fail !== undefined) throw new Error(job.input.fail);
          return complete(async () => null);
        },
      },
    },
  });
  const worker = createWorker({ client, processors: [processors] });
  await worker.start();
  const { id } = await context.with(ROOT_CONTEXT, () => client.startChain({ typeName: "echo", input }));
  await events.next("attempt-ended");
  await drain({ client });
  await worker.stop();
  await client.close();
  return id;
}
