// A chain of two steps in OpenTelemetry: the second step waits for a blocker and fails once.
import { createOtelObserver, observeCounts } from "@chainwright/otel";
import { trace } from "@opentelemetry/api";
import { createClient, createInProcessStateAdapter, createProcessors, createWorker, defineJobTypes } from "chainwright";
import { countersOf, treeOf } from "./print.ts";
import { flush, metricExporter, spanExporter } from "./telemetry.ts";

const jobTypes = defineJobTypes<{
  "order.place": { entry: true; input: { orderId: string }; continueWith: "order.charge" };
  "order.charge": { input: { orderId: string }; output: { receipt: string }; blockers: ["stock.reserve"] };
  "stock.reserve": { entry: true; input: { orderId: string }; output: { reserved: number } };
}>();

const tracer = trace.getTracer("shop");
const client = createClient({
  stateAdapter: createInProcessStateAdapter(),
  jobTypes,
  observers: [createOtelObserver()],
});
const counts = observeCounts({ client });

const processors = createProcessors({
  client,
  jobTypes,
  processors: {
    "order.place": async ({ job: { input }, continueWith }) =>
      continueWith({ typeName: "order.charge", input, blockers: [{ typeName: "stock.reserve", input }] }),
    "order.charge": {
      retry: { maxAttempts: 3, backoff: { initialMs: 5 } },
      handler: async ({ job, complete }) => {
        // A span of the application, like those of a database or HTTP instrumentation.
        await tracer.startActiveSpan("POST /charges", async (span) => span.end());
        if (job.attempt === 1) throw new RangeError("the card service is busy");
        return complete(async () => ({ receipt: `r-${job.input.orderId}` }));
      },
    },
    "stock.reserve": async () => ({ reserved: 1 }),
  },
});

const worker = createWorker({ client, processors: [processors] });
await worker.start();
const chain = await tracer.startActiveSpan("checkout", async (span) => {
  try {
    return await client.startChain({ typeName: "order.place", input: { orderId: "7" } });
  } finally {
    span.end();
  }
});
await client.awaitChain(chain, { timeoutMs: 10_000 });
await worker.stop();
await flush();
console.log(treeOf(spanExporter.getFinishedSpans()));
console.log();
console.log(countersOf(metricExporter.getMetrics().at(-1)));
counts.stop();
await client.close();
