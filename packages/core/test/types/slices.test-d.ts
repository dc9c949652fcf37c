import {
  createClient,
  createProcessors,
  createWorker,
  defineJobTypes,
  type CompletedChain,
  type Continuation,
  type Processors,
  type StartedChain,
  type CompletedBlocker,
} from "chainwright";
import { expectTypeOf, it } from "vitest";
import { orderJobTypes, stateAdapter } from "./job-types.ts";

const mailJobTypes = defineJobTypes<
  {
    "mail.confirm": { entry: true; input: { to: string }; output: { sent: true }; blockers: ["order.place"] };
    "mail.chase": { entry: true; input: { to: string }; continueWith: "fraud.check" };
  },
  typeof orderJobTypes
>();

const client = createClient({ stateAdapter, jobTypes: [orderJobTypes, mailJobTypes] });

it("a client knows the types of all its slices", () => {
  expectTypeOf(client.startChain({ typeName: "mail.chase", input: { to: "a" } })).resolves.toEqualTypeOf<
    StartedChain<"mail.chase", { to: string }>
  >();
  expectTypeOf(client.startChain({ typeName: "fraud.check", input: { orderId: "o" } })).resolves.toEqualTypeOf<
    StartedChain<"fraud.check", { orderId: string }>
  >();
});

it("a slice's processors are its own types, which refer to those of others", () => {
  createProcessors({
    client,
    jobTypes: mailJobTypes,
    processors: {
      "mail.confirm": async ({ job }) => {
        expectTypeOf(job.blockers).toEqualTypeOf<
          readonly [CompletedBlocker<"order.place", { orderId: string }, { receipt: string } | { refunded: true }>]
        >();
        return { sent: true };
      },
      "mail.chase": async ({ continueWith }) => continueWith({ typeName: "fraud.check", input: { orderId: "o" } }),
    },
  });
});

it("a chain that continues in another slice has that slice's output", () => {
  expectTypeOf(client.awaitChain({ id: "c", typeName: "mail.chase" })).resolves.toEqualTypeOf<
    CompletedChain<"mail.chase", { to: string }, { score: number }>
  >();
});

it("external types can be written out instead of imported", () => {
  defineJobTypes<
    { "mail.send": { entry: true; input: null; output: null; blockers: ["order.place"] } },
    { "order.place": { entry: true; input: { orderId: string }; output: { receipt: string } } }
  >();
});

it("a worker may claim some types of its slices, and no other names", () => {
  const orders = createProcessors({
    client,
    jobTypes: orderJobTypes,
    processors: {
      "order.place": async () => ({}) as Continuation,
      "order.charge": async () => ({ receipt: "r" }),
      "order.refund": async () => ({ refunded: true as const }),
      "stock.reserve": async () => ({ reserved: 1 }),
      "fraud.check": async () => ({ score: 1 }),
    },
  });
  const mails = createProcessors({
    client,
    jobTypes: mailJobTypes,
    processors: {
      "mail.confirm": async () => ({ sent: true as const }),
      "mail.chase": async () => ({}) as Continuation,
    },
  });
  createWorker({ client, processors: [orders, mails], types: ["fraud.check", "mail.chase"] });
  // @ts-expect-error -- no slice has this name
  createWorker({ client, processors: [orders, mails], types: ["fraud.chek"] });
  const untyped: readonly Processors[] = [orders, mails];
  createWorker({ client, processors: untyped, types: ["fraud.check"] });
});

it("external types that are written out as their owner declares them are accepted", () => {
  const mails = defineJobTypes<{ "mail.send": { entry: true; input: { to: string }; output: null } }>();
  const lists = defineJobTypes<
    { "mail.list": { entry: true; input: null; output: null; blockers: ["mail.send"] } },
    { "mail.send": { entry: true; input: { to: string }; output: null } }
  >();
  createClient({ stateAdapter, jobTypes: [mails, lists] });
});
