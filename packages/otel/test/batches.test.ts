import { context, ROOT_CONTEXT, SpanStatusCode } from "@opentelemetry/api";
import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  type BatchHandlerOf,
} from "chainwright";
import { drain, recordEvents } from "chainwright/testing";
import { describe, expect, it } from "vitest";
import { createOtelObserver } from "../src/index.ts";
import { createSdk } from "./sdk.ts";

const jobTypes = defineJobTypes<{ row: { entry: true; input: { at: number }; output: null } }>();
type Handler = BatchHandlerOf<ReturnType<typeof clientOf>, typeof jobTypes, "row">;

function clientOf(observers: Parameters<typeof createClient>[0]["observers"]) {
  return createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes, observers: observers ?? [] });
}

/** Runs one batch of three jobs; returns what the SDK got. */
async function runBatch(handler: Handler) {
  const sdk = createSdk();
  const events = recordEvents();
  const client = clientOf([createOtelObserver(sdk), events.observer]);
  const processors = createProcessors({
    client,
    jobTypes,
    processors: { row: { retry: { maxAttempts: 2 }, batch: { maxSize: 3, maxWaitMs: 10_000, handler } } },
  });
  const chains = await context.with(ROOT_CONTEXT, () =>
    client.startChains({ items: [0, 1, 2].map((at) => ({ typeName: "row", input: { at } }) as const) }),
  );
  const worker = createWorker({ client, processors: [processors] });
  await worker.start();
  await drain({ client });
  await worker.stop();
  await client.close();
  const spans = sdk.spans();
  const size = (await sdk.metrics()).find(({ descriptor }) => descriptor.name === "chainwright.batch.size");
  return { chains, spans, processed: spans.filter(({ name }) => name === "process row"), size };
}

describe("a batch", () => {
  it("is one span in a trace of its own, which is linked to the starts of all its jobs", async () => {
    const { chains, spans, processed } = await runBatch(async ({ jobs }) => jobs.map(() => null));
    expect(processed).toHaveLength(1);
    const starts = spans.filter(({ name }) => name === "start row");
    const [batch] = processed;
    expect(batch?.parentSpanContext).toBeUndefined();
    expect(starts.map((start) => start.spanContext().traceId)).not.toContain(batch?.spanContext().traceId);
    expect(batch?.links.map((link) => link.context.spanId)).toEqual(starts.map((start) => start.spanContext().spanId));
    expect(batch?.links.map((link) => link.attributes?.["messaging.message.id"])).toEqual(chains.map(({ id }) => id));
    expect(batch?.attributes).toMatchObject({ "messaging.batch.message_count": 3, "chainwright.batch.failed": 0 });
    expect(batch?.attributes).not.toHaveProperty("messaging.message.id");
  });

  it("has the span of its transaction inside its own", async () => {
    const { spans, processed } = await runBatch(({ complete }) => complete(async ({ jobs }) => jobs.map(() => null)));
    const complete = spans.find(({ name }) => name === "complete row");
    expect(complete?.parentSpanContext?.spanId).toBe(processed[0]?.spanContext().spanId);
    expect(complete?.attributes).toMatchObject({ "messaging.batch.message_count": 3 });
  });

  it("is marked by the first error of its jobs, and says how many failed", async () => {
    const { processed } = await runBatch(async ({ jobs, failed }) =>
      jobs.map(({ input }) => (input.at === 0 ? null : failed.fatal(`job ${input.at}`))),
    );
    expect(processed[0]?.status.code).toBe(SpanStatusCode.ERROR);
    expect(processed[0]?.events).toHaveLength(1);
    expect(processed[0]?.attributes["chainwright.batch.failed"]).toBe(2);
  });

  it("is measured once by its size, not once for each job", async () => {
    const { size } = await runBatch(async ({ jobs }) => jobs.map(() => null));
    expect(size?.descriptor.unit).toBe("{job}");
    expect(size?.dataPoints).toMatchObject([
      { value: { count: 1, sum: 3 }, attributes: { "messaging.destination.name": "row" } },
    ]);
  });
});
