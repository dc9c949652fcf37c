import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createProcessorsWith,
  defineJobTypes,
  type AttemptSignal,
  type BatchHandlerOf,
  type Job,
  type Processors,
} from "chainwright";
import { expectTypeOf, it } from "vitest";
import { client as orderClient, orderJobTypes, others, type TestTx } from "./job-types.ts";

const rowJobTypes = defineJobTypes<{
  "row.insert": {
    entry: true;
    input: { table: string; cents: number };
    output: { done: true; rows?: number };
    continueWith: "row.check";
  };
  "row.check": { input: { table: string }; output: { kind: "right" } | { kind: "wrong"; why: string } };
}>();
const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes: rowJobTypes });
const sizes = { maxSize: 500, maxWaitMs: 50 };
const check = async () => ({ kind: "right" as const });

it("a batch handler reads the jobs of its type, and by reads their input", () => {
  createProcessors({
    client: orderClient,
    jobTypes: orderJobTypes,
    processors: {
      ...others,
      "order.refund": {
        retry: { maxAttempts: 10 },
        timeoutMs: 5_000,
        leaseMs: 10_000,
        batch: {
          ...sizes,
          by: (input) => {
            expectTypeOf(input).toEqualTypeOf<{ orderId: string }>();
            return input.orderId;
          },
          onThrow: "together",
          handler: async ({ jobs, signal, complete }) => {
            expectTypeOf(jobs).toEqualTypeOf<readonly Job<"order.refund", { orderId: string }, readonly []>[]>();
            expectTypeOf(signal).toEqualTypeOf<AttemptSignal>();
            return complete(async ({ tx, jobs: kept }) => {
              expectTypeOf(tx).toEqualTypeOf<TestTx>();
              expectTypeOf(kept).toEqualTypeOf<typeof jobs>();
              return kept.map(() => ({ refunded: true }));
            });
          },
        },
      },
    },
  });
});

it("each result of a batch is an output, a continuation, a failure or a later attempt", () => {
  const processors = createProcessors({
    client,
    jobTypes: rowJobTypes,
    processors: {
      "row.insert": {
        batch: {
          ...sizes,
          handler: async ({ jobs, failed, continueWith, reschedule }) =>
            jobs.map((job) => {
              if (job.attempt > 4) return failed.fatal("gone");
              if (job.attempt > 3) return failed(new Error("no"));
              if (job.attempt > 2) return reschedule.of({ afterMs: 5 });
              if (job.attempt > 1) return continueWith({ typeName: "row.check", input: { table: job.input.table } });
              return job.input.cents > 5 ? { done: true } : { done: true, rows: job.input.cents };
            }),
        },
      },
      "row.check": {
        batch: {
          ...sizes,
          handler: async ({ jobs }) =>
            jobs.map(({ input }) => (input.table === "" ? { kind: "wrong", why: "no table" } : { kind: "right" })),
        },
      },
    },
  });
  expectTypeOf(processors).toEqualTypeOf<Processors<"row.insert" | "row.check">>();
});

it("a batch handler may be written away from createProcessors, and middleware adds to its context", () => {
  const insert: BatchHandlerOf<typeof client, typeof rowJobTypes, "row.insert", { tenant: string }> = async ({
    jobs,
    tenant,
  }) => {
    expectTypeOf(tenant).toEqualTypeOf<string>();
    return jobs.map(() => ({ done: true as const }));
  };
  createProcessorsWith({ client, middleware: [async (_attempt, next) => await next({ tenant: "t" })] })({
    jobTypes: rowJobTypes,
    processors: { "row.insert": { batch: { ...sizes, handler: insert } }, "row.check": check },
  });
});

it("a batch must have its sizes, and an object declared elsewhere is read as one written in place", () => {
  interface Given {
    readonly "row.insert": {
      readonly batch: {
        readonly maxSize: number;
        readonly maxWaitMs: number;
        readonly handler: () => Promise<never[]>;
      };
    };
    readonly "row.check": typeof check;
  }
  interface Sizeless {
    readonly "row.insert": { readonly batch: { readonly maxSize: number; readonly handler: () => Promise<never[]> } };
    readonly "row.check": typeof check;
  }
  interface Unhandled {
    readonly "row.insert": { readonly timeoutMs: number };
    readonly "row.check": typeof check;
  }
  const make = (given: Given, sizeless: Sizeless, unhandled: Unhandled) => {
    createProcessors({ client, jobTypes: rowJobTypes, processors: given });
    // @ts-expect-error no maxWaitMs
    createProcessors({ client, jobTypes: rowJobTypes, processors: sizeless });
    // @ts-expect-error neither a handler nor a batch
    createProcessors({ client, jobTypes: rowJobTypes, processors: unhandled });
  };
  void make;
});
