import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createProcessorsWith,
  createWorker,
  defineJobTypes,
  type ChainwrightError,
  type Job,
  type Processors,
  type RetryDecision,
  type RetryOptions,
  type RetryWhen,
  type CompletedBlocker,
} from "chainwright";
import { expectTypeOf, it } from "vitest";
import { client, orderJobTypes, others, type TestTx } from "./job-types.ts";

it("a handler reads the job of its type", () => {
  createProcessors({
    client,
    jobTypes: orderJobTypes,
    processors: {
      ...others,
      "order.refund": async ({ job, signal }) => {
        expectTypeOf(job).toEqualTypeOf<Job<"order.refund", { orderId: string }, readonly []>>();
        expectTypeOf(job.idempotencyKey).toEqualTypeOf<string>();
        expectTypeOf(signal.reason).toEqualTypeOf<ChainwrightError | undefined>();
        return { refunded: true };
      },
    },
  });
});

it("blockers have the positions that the type declares, and are completed", () => {
  createProcessors({
    client,
    jobTypes: orderJobTypes,
    processors: {
      ...others,
      "order.charge": async ({ job }) => {
        const [stock, ...checks] = job.blockers;
        expectTypeOf(stock).toEqualTypeOf<CompletedBlocker<"stock.reserve", { sku: string }, { reserved: number }>>();
        expectTypeOf(checks).toEqualTypeOf<CompletedBlocker<"fraud.check", { orderId: string }, { score: number }>[]>();
        return { receipt: `${stock.output.reserved}` };
      },
    },
  });
});

it("retry.when reads an unknown error and the number of the attempt, wherever it is given", () => {
  const processors = createProcessors({
    client,
    jobTypes: orderJobTypes,
    retry: { when: (error) => (error instanceof TypeError ? "fail" : "retry") },
    processors: {
      ...others,
      "order.charge": {
        retry: {
          maxAttempts: 5,
          when: (error, { attempt }) => {
            expectTypeOf(error).toEqualTypeOf<unknown>();
            expectTypeOf(attempt).toEqualTypeOf<number>();
            if (attempt > 3) return "fail";
            return error instanceof Response ? { afterMs: 1_000, uncounted: error.status === 429 } : "retry";
          },
        },
        handler: async ({ job }) => ({ receipt: job.input.orderId }),
      },
    },
  });
  const when: RetryWhen = () => ({ afterMs: 5, uncounted: true });
  expectTypeOf(when).returns.toEqualTypeOf<RetryDecision>();
  createProcessorsWith({ client, retry: { when } });
  createWorker({ client, processors: [processors], retry: { when } });
});

it("retry.when must return a decision, and not later", () => {
  // @ts-expect-error a promise
  const later: RetryWhen = async () => "fail";
  // @ts-expect-error no decision
  const maybe: RetryWhen = () => "maybe";
  // @ts-expect-error nothing
  const nothing: RetryWhen = () => {};
  // @ts-expect-error no delay
  const misspelt: RetryOptions = { when: () => ({ after: 5 }) };
  // @ts-expect-error the number of the attempt is a number
  const wrong: RetryOptions = { when: (_, { attempt }) => attempt.length };
  void [later, maybe, nothing, misspelt, wrong];
});

it("retry, timeoutMs and leaseMs may be given for all processors, and for a worker", () => {
  const processors = createProcessors({
    client,
    jobTypes: orderJobTypes,
    retry: { maxAttempts: 5, backoff: { maxMs: 60_000 } },
    timeoutMs: 30_000,
    leaseMs: 10_000,
    processors: { ...others, "order.charge": async () => ({ receipt: "r" }) },
  });
  createWorker({ client, processors: [processors], retry: { maxAttempts: 5 }, timeoutMs: Infinity, leaseMs: 10_000 });
  // @ts-expect-error no option of a retry
  createWorker({ client, processors: [processors], retry: { attempts: 5 } });
});

it("prepare returns the result of its callback, and complete takes an output or a continuation", () => {
  createProcessors({
    client,
    jobTypes: orderJobTypes,
    processors: {
      ...others,
      "order.charge": {
        retry: { maxAttempts: 5, backoff: { initialMs: 1_000, multiplier: 2, maxMs: 60_000, jitter: 0.2 } },
        timeoutMs: 30_000,
        leaseMs: 10_000,
        handler: async ({ job, prepare, complete }) => {
          const order = await prepare({ mode: "staged" }, async ({ tx }) => {
            expectTypeOf(tx).toEqualTypeOf<TestTx>();
            await tx.query("select");
            return { total: job.input.cents };
          });
          expectTypeOf(order).toEqualTypeOf<{ total: number }>();
          expectTypeOf(await prepare({ mode: "atomic" }, async () => 5)).toEqualTypeOf<number>();
          expectTypeOf(prepare({ mode: "staged" })).toEqualTypeOf<Promise<void>>();
          return complete(async ({ tx, continueWith }) => {
            await tx.query("update");
            if (order.total > 5) return { receipt: "r" };
            return continueWith({ typeName: "order.refund", input: { orderId: job.input.orderId } });
          });
        },
      },
    },
  });
});

it("a handler that uses no context keeps the literal types of what it returns", () => {
  createProcessors({
    client,
    jobTypes: orderJobTypes,
    processors: { ...others, "order.refund": async () => ({ refunded: true }) },
  });
});

it("a blocker is a chain that was started, its id and type, or a start written inline", () => {
  createProcessors({
    client,
    jobTypes: orderJobTypes,
    processors: {
      ...others,
      "order.place": async ({ job, complete }) =>
        complete(async ({ tx, continueWith }) => {
          const stock = await client.startChain({ tx, typeName: "stock.reserve", input: { sku: "s1" } });
          return continueWith({
            typeName: "order.charge",
            input: { orderId: job.input.orderId, cents: 1 },
            blockers: [stock, { id: "f", typeName: "fraud.check" }, { typeName: "fraud.check", input: job.input }],
            onBlockerFailure: "wait",
          });
        }),
    },
  });
});

it("reschedule ends the attempt", () => {
  createProcessors({
    client,
    jobTypes: orderJobTypes,
    processors: {
      ...others,
      "fraud.check": async ({ job, reschedule }) => {
        if (job.attempt === 1) return reschedule({ afterMs: 60_000 });
        expectTypeOf(reschedule).returns.toEqualTypeOf<never>();
        return { score: 1 };
      },
    },
  });
});

const letterTypes = defineJobTypes<{
  "letters.scan": { entry: true; input: { folder: string }; continueWith: "letters.report" };
  "letters.count": { entry: true; input: { path: string }; output: { words: number } };
  "letters.report": {
    input: { folder: string };
    output: { words: number; all: boolean };
    blockers: [..."letters.count"[]];
  };
}>();

it("a step fans out over a list of any length and adds up the outputs", () => {
  createProcessors({
    client: createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes: letterTypes }),
    jobTypes: letterTypes,
    processors: {
      "letters.scan": async ({ job: { input }, continueWith }) =>
        continueWith({
          typeName: "letters.report",
          input,
          blockers: ["a", "b"].map((path) => ({ typeName: "letters.count", input: { path } })),
        }),
      "letters.count": async () => ({ words: 1 }),
      "letters.report": async ({ job }) => ({
        words: job.blockers.reduce((sum, { output }) => sum + output.words, 0),
        all: job.blockers.reduce((all, { output }) => all && output.words > 0, true),
      }),
    },
  });
});

declare enum Level {
  Low = 1,
  High = 2,
}

it("literal numbers in an output need no as const, with and without a context, in arrays, and in complete", () => {
  const jobTypes = defineJobTypes<{
    code: { entry: true; input: { isThere: boolean }; output: { code: 200 | 404 } };
    constant: { entry: true; input: null; output: { version: 1 } };
    tagged: { entry: true; input: { n: 1 }; output: { kind: "ok"; code: 200 } | { kind: "no"; code: 404 } };
    pair: { entry: true; input: null; output: [1, 2] };
    level: { entry: true; input: null; output: { level: Level.Low | 7; text: `x${number}` } };
    deep: { entry: true; input: null; output: { list: { n: 1 | 2; names: string[] }[]; pair: [0, "a"] } };
    one: { entry: true; input: null; output: 1 | 2 };
    completed: { entry: true; input: null; output: { code: 200 | 404 } };
  }>();
  createProcessors({
    client: createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes }),
    jobTypes,
    processors: {
      code: async ({ job }) => ({ code: job.input.isThere ? 200 : 404 }),
      constant: async () => ({ version: 1 }),
      tagged: async ({ job }) => (job.input.n === 1 ? { kind: "ok", code: 200 } : { kind: "no", code: 404 }),
      pair: async () => [1, 2],
      level: async () => ({ level: 7, text: "x1" }),
      deep: { handler: async () => ({ list: [{ n: 1, names: ["a", "b"] }], pair: [0, "a"] }) },
      one: async () => 1,
      completed: async ({ complete }) => complete(async () => ({ code: 200 })),
    },
  });
});

it("an output may have the properties of any member of a union, and any property where its type allows any", () => {
  interface Row {
    readonly [column: string]: number;
  }
  const jobTypes = defineJobTypes<{
    either: {
      entry: true;
      input: null;
      output: { kind: "x"; x: number } | { kind: "y"; y: string };
      continueWith: "list";
    };
    map: { entry: true; input: null; output: Row };
    anything: { entry: true; input: null; output: unknown };
    list: { input: null; output: { n: number }[] | null };
    text: { entry: true; input: null; output: "paid" | number };
    nothing: { entry: true; input: null; output: void };
    optional: { entry: true; input: null; output: { id: string; note?: string } | undefined };
    loose: { entry: true; input: null; output: { id: string } };
  }>();
  const row: Row = { n: 1 };
  createProcessors({
    client: createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes }),
    jobTypes,
    processors: {
      either: async ({ job, continueWith }) => {
        if (job.attempt > 2) return continueWith({ typeName: "list", input: null });
        return job.attempt > 1 ? { kind: "x", x: job.attempt } : { kind: "y", y: job.id };
      },
      map: async ({ job }) => (job.attempt > 1 ? row : { any: job.attempt }),
      anything: async ({ job }) => ({ any: job.attempt }),
      list: async ({ job }) => (job.attempt > 1 ? [{ n: job.attempt }, { n: 1 }] : null),
      text: async ({ job }) => (job.attempt > 1 ? "paid" : job.attempt),
      nothing: { handler: async ({ job, complete }) => void (await complete(async () => void job)) },
      optional: async ({ job, complete, reschedule }) => {
        if (job.attempt > 3) return reschedule({ afterMs: 5 });
        if (job.attempt > 2) return complete(async () => ({ id: job.id }));
        return job.attempt > 1 ? { id: job.id, note: "n" } : undefined;
      },
      loose: async () => JSON.parse("{}"),
    },
  });
});

it("a slice may be declared again with the same types, but another object is refused at run time", () => {
  const copy = defineJobTypes<{
    "fraud.check": { entry: true; input: { orderId: string }; output: { score: number } };
  }>();
  expectTypeOf(() =>
    createProcessors({ client, jobTypes: copy, processors: { "fraud.check": async () => ({ score: 1 }) } }),
  ).returns.toEqualTypeOf<Processors<"fraud.check">>();
});
