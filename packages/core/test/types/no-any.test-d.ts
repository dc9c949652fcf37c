import { createClient, createProcessors, createWorker, defineJobTypes, type Middleware } from "chainwright";
import { expectTypeOf, it } from "vitest";
import { client, orderJobTypes, stateAdapter } from "./job-types.ts";
import { schema } from "./schema.ts";

/** Accepts every type except `any`, for the value and for the named properties. */
function typed<T>(value: 0 extends 1 & T ? never : T): void {
  void value;
}

it("definitions and clients contain no any", () => {
  typed(orderJobTypes);
  typed(orderJobTypes.definitions);
  typed(client);
  typed(createClient({ stateAdapter, jobTypes: [orderJobTypes] }));
  typed(defineJobTypes({ a: { entry: true, input: schema<string>(), output: schema<number>() } }).definitions?.["a"]);
});

it("results of a client contain no any", async () => {
  const started = await client.startChain({ typeName: "order.place", input: { orderId: "o" } });
  typed(started);
  typed(started.id);
  typed(started.typeName);
  typed(started.input);
  typed(started.input.orderId);
  const [first] = await client.startChains({ items: [{ typeName: "fraud.check", input: { orderId: "o" } }] });
  typed(first);
  typed(await client.transaction(async (tx) => (typed(tx), 5)));
  const chain = await client.getChain({ id: "c", typeName: "order.place" });
  typed(chain);
  typed(chain?.output);
  typed(chain?.error);
  typed(chain?.reason);
  typed((await client.getChain({ id: "c" }))?.input);
  const job = await client.getJob({ id: "j", typeName: "order.charge" });
  typed(job?.input);
  typed(job?.output);
  typed(job?.errors[0]);
  typed((await client.getJob({ id: "j" }))?.input);
  typed((await client.awaitChain(started)).output);
  typed((await client.awaitChain({ id: "c" })).output);
  typed((await client.listChains()).items[0]);
  typed((await client.listChains({ typeName: "fraud.check" })).items[0]?.input);
  typed((await client.listJobs()).items[0]?.input);
  typed((await client.listJobs({ typeName: ["order.place"] })).nextCursor);
  typed((await client.listChainJobs({ id: "c" })).items[0]?.output);
  typed((await client.listBlockedJobs({ id: "c" })).items[0]?.input);
  typed((await client.listJobBlockers({ id: "j" })).items[0]?.input);
  typed(await client.explainJob({ id: "j" }));
  typed((await client.listWorkers())[0]);
  typed((await client.listPausedTypes())[0]);
  typed((await client.listLimits()).items[0]);
  typed((await client.listDeclaredLimits())[0]);
  typed((await client.countJobs())["order.place"]);
  typed((await client.countQueuedJobs())[0]);
  typed(await client.deleteChain({ id: "c" }));
});

it("the arguments of a handler contain no any", () => {
  const named: Middleware<{ traceId: string }> = async (attempt, next) => {
    typed(attempt.job);
    typed(attempt.job.input);
    typed(attempt.job.blockers[0]);
    typed(attempt.signal.reason);
    const result = await next({ traceId: "t" });
    typed(result);
    return result;
  };
  const processors = createProcessors({
    client,
    jobTypes: orderJobTypes,
    middleware: [named, async (attempt, next) => (typed(attempt), typed(next), next({ added: 5 }))],
    processors: {
      "order.place": async (context) => {
        typed(context);
        typed(context.job);
        typed(context.traceId);
        typed(context.added);
        typed(context.continueWith);
        return context.continueWith({
          typeName: "order.charge",
          input: { orderId: context.job.input.orderId, cents: 1 },
          blockers: [{ typeName: "stock.reserve", input: { sku: "s" } }],
        });
      },
      "order.charge": {
        handler: async ({ job, signal, prepare, complete, reschedule }) => {
          typed(job.input);
          typed(job.input.cents);
          typed(job.blockers);
          typed(job.blockers[0].output);
          typed(job.blockers[1]?.output);
          typed(job.lastError);
          typed(signal);
          typed(signal.reason);
          typed(reschedule);
          const prepared = await prepare({ mode: "atomic" }, async ({ tx }) => (typed(tx), { at: 5 }));
          typed(prepared);
          const completed = complete(async ({ tx, continueWith }) => {
            typed(tx);
            typed(continueWith);
            const continued = continueWith({ typeName: "order.refund", input: { orderId: "o" } });
            typed(continued);
            return continued;
          });
          typed(completed);
          return completed;
        },
      },
      "order.refund": async () => ({ refunded: true }),
      "stock.reserve": async ({ job }) => ({ reserved: job.attempt }),
      "fraud.check": async () => ({ score: 1 }),
    },
  });
  typed(processors);
  typed(createWorker({ client, processors: [processors] }).health());
  expectTypeOf(processors).not.toBeAny();
});
