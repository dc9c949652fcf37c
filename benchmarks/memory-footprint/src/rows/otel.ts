import { createInProcessStateAdapter } from "chainwright";
import { createOtelObserver } from "@chainwright/otel";
import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { MeterProvider, MetricReader } from "@opentelemetry/sdk-metrics";
import { TracerProvider } from "@opentelemetry/sdk-trace";
import type { Row } from "../row.ts";

/** A reader that is never asked: what is aggregated stays, nothing is exported. */
class IdleReader extends MetricReader {
  protected override onForceFlush = async (): Promise<void> => undefined;
  protected override onShutdown = async (): Promise<void> => undefined;
}

/** Spans are recorded and dropped when they end: what an exporter keeps is the exporter's. */
export const otel: Row = {
  name: "otel",
  needs: [],
  keepsState: false,
  async prepare() {
    const contexts = new AsyncLocalStorageContextManager().enable();
    context.setGlobalContextManager(contexts);
    const tracerProvider = new TracerProvider({ spanProcessors: [] });
    const meterProvider = new MeterProvider({ readers: [new IdleReader()] });
    return {
      build: async () => ({
        stateAdapter: createInProcessStateAdapter(),
        observers: [createOtelObserver({ tracerProvider, meterProvider })],
      }),
      async close() {
        await meterProvider.shutdown();
        await tracerProvider.shutdown();
        context.disable();
      },
    };
  },
};
