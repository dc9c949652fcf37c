import { describe, expect, it } from "vitest";
import { createClient } from "../../src/client/create-client.ts";
import { createInProcessStateAdapter } from "../../src/in-process/state-adapter.ts";
import type { ContextObserver, ObservedAttempt, Observer } from "../../src/ports/observer.ts";
import { recordEvents } from "../../src/testing/record-events.ts";
import { defineJobTypes } from "../../src/types/define-job-types.ts";
import { createProcessors } from "../../src/worker/create-processors.ts";
import { createWorker } from "../../src/worker/create-worker.ts";

const never = new Promise<never>(() => undefined);
const boom = (): never => {
  throw new Error("observer");
};
const quiet = { capture: () => undefined, run: <T>(_: ObservedAttempt, body: () => Promise<T>) => body() };

/** An observer of events and contexts, bad in one way. */
const observer = (listen: (event: unknown) => unknown, context: Partial<ContextObserver> = {}): Observer =>
  Object.assign((event: unknown) => listen(event) as undefined, { ...quiet, ...context });

const hostile: Readonly<Record<string, Observer>> = {
  "throws at every event": observer(boom),
  "rejects at every event": observer(() => Promise.reject(new Error("observer"))),
  "hangs at every event": observer(() => never),
  "throws in capture": observer(() => undefined, { capture: boom }),
  "captures something that is no text": observer(() => undefined, { capture: () => 7n as never }),
  "throws before it runs the attempt": observer(() => undefined, { run: boom }),
  "throws after it ran the attempt": observer(() => undefined, {
    run: (_, body) => {
      void body();
      return boom();
    },
  }),
  "rejects in run": observer(() => undefined, { run: () => Promise.reject(new Error("observer")) }),
  "hangs in run without a call of the body": observer(() => undefined, { run: () => never }),
  "hangs in run after the body": observer(() => undefined, { run: (_, body) => body().then(() => never) }),
  "returns something else from run": observer(() => undefined, { run: async () => "mine" as never }),
  "calls the body twice, and again later": observer(() => undefined, {
    run: async (_, body) => {
      await Promise.all([body(), body()]);
      return body();
    },
  }),
  "throws in step": observer(() => undefined, { step: boom }),
  "hangs in step": observer(() => undefined, { step: () => never }),
  "throws at a line": observer(() => undefined, { log: boom }),
  "rejects in step": observer(() => undefined, { step: () => Promise.reject(new Error("observer")) }),
};

const jobTypes = defineJobTypes<{
  first: { entry: true; input: number; continueWith: "second" };
  second: { input: number; output: number };
}>();

/** A chain of two steps, the first of which fails once, and what is left of it in the store. */
async function runWith(observers: readonly Observer[]) {
  const events = recordEvents();
  const calls: string[] = [];
  const client = createClient({
    stateAdapter: createInProcessStateAdapter(),
    jobTypes,
    observers: [...observers, events.observer],
  });
  const processors = createProcessors({
    client,
    jobTypes,
    processors: {
      first: {
        retry: { backoff: { initialMs: 1, jitter: 0 } },
        handler: async ({ job, log, continueWith }) => {
          calls.push(`first ${job.attempt}`);
          log.info("begun");
          if (job.attempt === 1) throw new TypeError("once");
          return continueWith({ typeName: "second", input: 2 });
        },
      },
      second: async ({ prepare, complete }) => {
        await prepare({ mode: "atomic" }, async () => void calls.push("prepare"));
        return complete(async () => calls.push("complete"));
      },
    },
  });
  const worker = createWorker({ client, processors: [processors] });
  await worker.start();
  const { id } = await client.startChain({ typeName: "first", input: 1 });
  await events.next("chain-completed");
  await worker.stop();
  const chain = await client.getChain({ id });
  await client.close();
  return {
    calls,
    status: chain?.status,
    output: chain?.status === "completed" && chain.output,
    types: events.all.map((event) => event.type),
  };
}

const expected = { calls: ["first 1", "first 2", "prepare", "complete"], status: "completed", output: 4 };

describe("an observer that", () => {
  it.each(Object.entries(hostile))(
    "%s changes nothing, and the other observers still get the events",
    async (_, bad) => {
      const { types, ...result } = await runWith([bad]);
      expect(result).toEqual(expected);
      expect(types.filter((type) => type === "attempt-ended")).toHaveLength(3);
      expect(types).toContain("job-retried");
    },
  );

  it("is slow changes nothing", async () => {
    const slow = observer(() => {
      const until = performance.now() + 2;
      while (performance.now() < until);
    });
    const { types: _, ...result } = await runWith([slow]);
    expect(result).toEqual(expected);
  });
});

describe("contexts", () => {
  it("bring each observer what it captured itself, also if another one failed", async () => {
    const seen: (string | undefined)[] = [];
    const steps: string[] = [];
    const witness = observer(() => undefined, {
      capture: ({ operation, typeName }) => `${operation} ${typeName}`,
      run: (attempt, body) => {
        seen.push(attempt.context);
        return body();
      },
      step: (name, body) => {
        steps.push(name);
        return body();
      },
    });
    await runWith([observer(() => undefined, { capture: boom }), witness, observer(() => undefined)]);
    expect(seen).toEqual(["start first", "start first", "continue second"]);
    expect(steps).toEqual(["prepare", "complete"]);
  });
});
