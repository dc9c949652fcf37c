import { trace } from "@opentelemetry/api";
import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  FatalError,
  type StoppedChain,
} from "chainwright";
import { drain } from "chainwright/testing";
import { afterEach, expect, it } from "vitest";
import { createOtelObserver } from "../src/index.ts";
import { createSdk } from "./sdk.ts";

afterEach(() => trace.disable());

const jobTypes = defineJobTypes<{
  trip: { entry: true; input: null; output: null; compensate: "refund"; whenStopped: "sorry" };
  refund: { entry: true; input: null; output: null };
  sorry: { entry: true; input: StoppedChain<null>; output: null };
}>();

/** The spans of a chain that records a compensation and fails, with those of what follows. */
async function spansOfStop(attemptTrace: "join" | "link") {
  const sdk = createSdk();
  const observers = [createOtelObserver({ tracerProvider: sdk.tracerProvider, attemptTrace })];
  const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes, observers });
  const processors = createProcessors({
    client,
    jobTypes,
    processors: {
      trip: async ({ compensateWith }) => {
        await compensateWith({ typeName: "refund", input: null });
        throw new FatalError("no room");
      },
      refund: async () => null,
      sorry: async () => null,
    },
  });
  const worker = createWorker({ client, processors: [processors] });
  await worker.start();
  await client.startChain({ typeName: "trip", input: null, whenStopped: "sorry" });
  await drain({ client });
  await worker.stop();
  await client.close();
  const named = (name: string) => {
    const span = sdk.spans().find((each) => each.name === name);
    if (span === undefined) throw new Error(`there is no span ${name}`);
    return span;
  };
  return { named, traceOf: (name: string) => named(name).spanContext().traceId };
}

it("what undoes a stopped chain is in the trace of the attempt that recorded it", async () => {
  const { named, traceOf } = await spansOfStop("join");
  expect(named("start refund").parentSpanContext?.spanId).toBe(named("process trip").spanContext().spanId);
  for (const name of ["start trip", "process trip", "start refund", "process refund"])
    expect(traceOf(name), name).toBe(traceOf("process trip"));
});

it("with traces of their own, what undoes a stopped chain is linked to the attempt that recorded it", async () => {
  const { named, traceOf } = await spansOfStop("link");
  expect(traceOf("process refund")).not.toBe(traceOf("process trip"));
  expect(named("process refund").links[0]?.context).toMatchObject({
    traceId: traceOf("process trip"),
    spanId: named("start refund").spanContext().spanId,
  });
});

it.each(["join", "link"] as const)(
  "what follows a stopped chain is linked to the start of that chain: %s",
  async (mode) => {
    const { named, traceOf } = await spansOfStop(mode);
    const { spanId, traceId } = named("start trip").spanContext();
    expect(named("process sorry").links[0]?.context).toMatchObject({ spanId, traceId });
    expect(traceOf("process sorry") === traceId).toBe(mode === "join");
  },
);
