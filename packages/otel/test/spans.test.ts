import { SpanStatusCode, trace } from "@opentelemetry/api";
import type { ObservedAttempt } from "chainwright/adapter";
import { afterEach, describe, expect, it } from "vitest";
import { createOtelObserver } from "../src/index.ts";
import { createSdk, runOnce } from "./sdk.ts";

afterEach(() => trace.disable());

const attempt: ObservedAttempt = {
  jobId: "job",
  chainId: "chain",
  typeName: "echo",
  attempt: 1,
  workerId: "worker",
  context: undefined,
  blockers: [],
};
const ended = { ...attempt, type: "attempt-ended", durationMs: 1, error: undefined } as const;

/** A promise that rejects with any value, like that of a handler. */
async function rejection(reason: unknown): Promise<never> {
  throw reason;
}

describe("the spans of jobs", () => {
  it("need no propagator, because the W3C trace parent is stored with the job", async () => {
    const sdk = createSdk();
    await runOnce(createOtelObserver({ tracerProvider: sdk.tracerProvider }));
    const [start, complete, process] = sdk.spans();
    expect([start?.name, complete?.name, process?.name]).toEqual(["start echo", "complete echo", "process echo"]);
    expect(process?.parentSpanContext?.spanId).toBe(start?.spanContext().spanId);
    expect(complete?.parentSpanContext?.spanId).toBe(process?.spanContext().spanId);
  });

  it("are one trace per attempt if attemptTrace is link", async () => {
    const sdk = createSdk();
    await runOnce(createOtelObserver({ tracerProvider: sdk.tracerProvider, attemptTrace: "link" }));
    const [start, , process] = sdk.spans();
    expect(process?.parentSpanContext).toBeUndefined();
    expect(process?.spanContext().traceId).not.toBe(start?.spanContext().traceId);
    expect(process?.links.map((link) => link.context.spanId)).toEqual([start?.spanContext().spanId]);
  });

  it("contain messages of errors only with errorMessages include", async () => {
    const [silent, open] = [createSdk(), createSdk()];
    await runOnce(createOtelObserver({ tracerProvider: silent.tracerProvider }), { fail: "card 4242" });
    await runOnce(createOtelObserver({ tracerProvider: open.tracerProvider, errorMessages: "include" }), {
      fail: "card 4242",
    });
    expect(silent.spans().at(-1)?.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(open.spans().at(-1)?.status).toEqual({ code: SpanStatusCode.ERROR, message: "card 4242" });
    expect(silent.spans().at(-1)?.events[0]?.attributes).toEqual({ "exception.type": "Error" });
    expect(open.spans().at(-1)?.events[0]?.attributes).toEqual({
      "exception.type": "Error",
      "exception.message": "card 4242",
      "exception.stacktrace": expect.stringMatching(/^Error: card 4242\n    at /),
    });
  });

  it("name the causes of an error by class and code, and by message only with errorMessages include", () => {
    const [silent, open] = [createSdk(), createSdk()];
    const error = {
      name: "TypeError",
      message: "fetch failed",
      cause: { name: "Error", code: "ECONNREFUSED", message: "card 4242" },
    };
    for (const [sdk, errorMessages] of [
      [silent, "omit"],
      [open, "include"],
    ] as const) {
      const observer = createOtelObserver({ tracerProvider: sdk.tracerProvider, errorMessages });
      void observer.run(attempt, () => new Promise<never>(() => undefined));
      observer({ ...ended, error });
    }
    const [told, hidden] = [open, silent].map((sdk) => sdk.spans()[0]?.events[0]?.attributes);
    expect(hidden).toEqual({
      "exception.type": "TypeError",
      "chainwright.exception.causes": ["Error [ECONNREFUSED]"],
    });
    expect(told).toMatchObject({
      "exception.stacktrace": "TypeError: fetch failed\n  Cause: Error [ECONNREFUSED]: card 4242",
    });
  });

  it("begin, with all attributes, when an SDK is registered after the observer was created", async () => {
    const sdk = createSdk();
    const observer = createOtelObserver();
    await runOnce(observer);
    trace.setGlobalTracerProvider(sdk.tracerProvider);
    const id = await runOnce(observer);
    expect(sdk.spans().map((span) => span.name)).toEqual(["start echo", "complete echo", "process echo"]);
    expect(sdk.spans()[0]?.attributes).toMatchObject({ "messaging.message.id": id });
    expect(sdk.spans()[2]?.links).toHaveLength(1);
  });

  it("end when the worker reports the end of the attempt, even if its handler hangs", () => {
    const sdk = createSdk();
    const observer = createOtelObserver({ tracerProvider: sdk.tracerProvider });
    void observer.run(attempt, () => new Promise<never>(() => undefined));
    expect(sdk.spans()).toHaveLength(0);
    observer({ ...ended, error: { name: "timeout", message: "it hangs" } });
    expect(sdk.spans()[0]?.attributes["error.type"]).toBe("timeout");
    observer(ended);
    expect(sdk.spans()).toHaveLength(1);
  });

  it("begin a trace of their own if the stored text is invalid or another observer's", async () => {
    for (const text of [
      "",
      "{",
      "{}",
      "null",
      '{"traceparent":1}',
      "00-0-0-00",
      `00-${"0".repeat(32)}-${"1".repeat(16)}-01`,
    ]) {
      const sdk = createSdk();
      const observer = createOtelObserver({ tracerProvider: sdk.tracerProvider });
      await observer.run(
        { ...attempt, context: text, blockers: [{ chainId: "b", typeName: "b", context: text }] },
        async () => 1,
      );
      observer(ended);
      expect(sdk.spans()[0]?.parentSpanContext, text).toBeUndefined();
      expect(sdk.spans()[0]?.links, text).toEqual([]);
    }
  });

  it("name a failed step after the thrown value, and do not mark a reschedule as failed", async () => {
    const hostile = new Proxy(new Error("x"), {
      get() {
        throw new Error("read me not");
      },
    });
    const reschedule = Object.assign(new Error("later"), { name: "Reschedule" });
    const coded = Object.assign(new Error("gone"), { name: "ChainwrightError", code: "lease-lost" });
    const types: unknown[] = [];
    for (const thrown of [hostile, reschedule, coded, "text", new TypeError("t")]) {
      const sdk = createSdk();
      const observer = createOtelObserver({ tracerProvider: sdk.tracerProvider });
      const run = observer.run(attempt, async () => observer.step?.("complete", () => rejection(thrown)));
      await expect(run).rejects.toBe(thrown);
      types.push(sdk.spans()[0]?.attributes["error.type"]);
    }
    expect(types).toEqual(["Error", undefined, "lease-lost", "Error", "TypeError"]);
  });
});
