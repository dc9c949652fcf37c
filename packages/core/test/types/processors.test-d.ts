import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  type ChainwrightError,
  type Continuation,
  type Job,
  type Middleware,
} from "chainwright";
import type { CompletedBlocker } from "chainwright/adapter";
import { expectTypeOf, it } from "vitest";
import { client, orderJobTypes, type TestTx } from "./job-types.ts";

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

it("the additions of several middlewares, also inline ones, are in the context", () => {
  const traced: Middleware<{ traceId: string }> = async (attempt, next) => {
    expectTypeOf(attempt.job.input).toEqualTypeOf<unknown>();
    return next({ traceId: attempt.job.id });
  };
  const plain: Middleware = async (_attempt, next) => next();
  createProcessors({
    client,
    jobTypes: orderJobTypes,
    middleware: [traced, plain, async (_attempt, next) => next({ startedAt: new Date() })],
    processors: {
      ...others,
      "fraud.check": async ({ traceId, startedAt }) => {
        expectTypeOf(traceId).toEqualTypeOf<string>();
        expectTypeOf(startedAt).toEqualTypeOf<Date>();
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

const continuation: Continuation = {} as never;

/** Handlers of the types that a test does not need. */
const others = {
  "order.place": async () => continuation,
  "order.charge": async () => ({ receipt: "r" }),
  "order.refund": async () => ({ refunded: true as const }),
  "stock.reserve": async () => ({ reserved: 1 }),
  "fraud.check": async () => ({ score: 1 }),
};
