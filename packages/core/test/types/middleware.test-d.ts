import { createProcessors, createProcessorsWith, type Middleware, type Processors } from "chainwright";
import { expectTypeOf, it } from "vitest";
import { client, orderJobTypes, others } from "./job-types.ts";

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

const verbose: Middleware<{ print: (text: string) => void }> = async (_attempt, next) => next({ print: () => {} });
const who: Middleware<{ user: string } | { robot: string }> = async ({ job }, next) =>
  job.attempt > 1 ? next({ user: "ada" }) : next({ robot: "r2" });

it("what only some lists of middleware add may be undefined, and one that adds one of two adds not both", () => {
  const isVerbose: boolean = true;
  createProcessors({
    client,
    jobTypes: orderJobTypes,
    middleware: isVerbose ? [who, verbose] : [],
    processors: {
      ...others,
      "fraud.check": async (context) => {
        expectTypeOf(context.print).toEqualTypeOf<((text: string) => void) | undefined>();
        return { score: 1 };
      },
    },
  });
  createProcessors({
    client,
    jobTypes: orderJobTypes,
    middleware: [who, verbose],
    processors: {
      ...others,
      "fraud.check": async (context) => {
        expectTypeOf(context.print).toEqualTypeOf<(text: string) => void>();
        expectTypeOf("user" in context ? context.user : context.robot).toEqualTypeOf<string>();
        return { score: 1 };
      },
    },
  });
  createProcessors({
    client,
    jobTypes: orderJobTypes,
    middleware: [isVerbose ? verbose : who],
    processors: {
      ...others,
      // @ts-expect-error one of the two does not add it
      "fraud.check": async ({ print }) => ({ score: print === undefined ? 0 : 1 }),
    },
  });
});

it("what an array of middleware of any length adds may be missing, but not what is before it or after it", () => {
  const some: Middleware<{ print: (text: string) => void }>[] = [verbose];
  const traced: Middleware<{ traceId: string }> = async ({ job }, next) => next({ traceId: job.id });
  createProcessors({
    client,
    jobTypes: orderJobTypes,
    middleware: [traced, ...some, async (_attempt, next) => next({ last: 1 })],
    processors: {
      ...others,
      "fraud.check": async ({ print, traceId, last }) => {
        expectTypeOf(print).toEqualTypeOf<((text: string) => void) | undefined>();
        expectTypeOf(traceId).toEqualTypeOf<string>();
        expectTypeOf(last).toEqualTypeOf<number>();
        return { score: 1 };
      },
    },
  });
});

it("an inner middleware may replace what an outer one added, also by another type", () => {
  const outer: Middleware<{ at: string }> = async (_attempt, next) => next({ at: "" });
  const inner: Middleware<{ at: Date }> = async (_attempt, next) => next({ at: new Date() });
  createProcessors({
    client,
    jobTypes: orderJobTypes,
    middleware: [outer, inner],
    processors: {
      ...others,
      "fraud.check": async ({ at }) => {
        expectTypeOf(at).toEqualTypeOf<Date>();
        return { score: 1 };
      },
    },
  });
});

it("a generic middleware may add what it is given", () => {
  const adding =
    <Added extends object>(added: Added): Middleware<Added> =>
    async (_attempt, next) =>
      next(added);
  const ofTenant = adding({ tenant: "t" });
  createProcessors({
    client,
    jobTypes: orderJobTypes,
    middleware: [ofTenant],
    processors: {
      ...others,
      "fraud.check": async ({ tenant }) => ({ score: tenant.length }),
    },
  });
});

it("the processors of several slices share a client, middleware and options", () => {
  const traced: Middleware<{ traceId: string }> = async ({ job }, next) => next({ traceId: job.id });
  const createAppProcessors = createProcessorsWith({ client, middleware: [traced], retry: { maxAttempts: 5 } });
  const processors = createAppProcessors({
    jobTypes: orderJobTypes,
    middleware: [async (_attempt, next) => next({ startedAt: new Date() })],
    timeoutMs: 5,
    processors: {
      ...others,
      "stock.reserve": async ({ traceId, job }) => {
        expectTypeOf(traceId).toEqualTypeOf<string>();
        expectTypeOf(job.input).toEqualTypeOf<{ sku: string }>();
        return { reserved: 1 };
      },
      "fraud.check": {
        handler: async ({ traceId, startedAt }) => ({ score: traceId.length + startedAt.getTime() }),
      },
    },
  });
  expectTypeOf(processors).toEqualTypeOf<
    Processors<"order.place" | "order.charge" | "order.refund" | "stock.reserve" | "fraud.check">
  >();
});
