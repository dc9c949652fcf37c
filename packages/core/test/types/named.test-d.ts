import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  defineJobTypes,
  type Chain,
  type CompletedBlocker,
  type ContextOf,
  type HandlerOf,
  type Middleware,
  type StarterOf,
  type StartOf,
  type TypesOf,
} from "chainwright";
import { expectTypeOf, it } from "vitest";
import { client, orderJobTypes, type TestTx } from "./job-types.ts";

interface Mails {
  "mail.send": { entry: true; input: { to: string }; output: { sent: boolean } };
  "mail.list": { entry: true; input: { list: string }; output: null };
}
const mailJobTypes = defineJobTypes<Mails>();
const both = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes: [mailJobTypes, orderJobTypes] });

it("TypesOf names the job types of a slice, of several slices and of a client", () => {
  expectTypeOf<TypesOf<typeof mailJobTypes>>().toEqualTypeOf<Mails>();
  expectTypeOf<TypesOf<readonly [typeof mailJobTypes]>>().toEqualTypeOf<Mails>();
  expectTypeOf<TypesOf<typeof client>["fraud.check"]["output"]>().toEqualTypeOf<{ score: number }>();
  expectTypeOf<TypesOf<typeof both>["mail.send"]["input"]>().toEqualTypeOf<{ to: string }>();
});

it("StartOf names what startChain takes, for one entry or for all", async () => {
  const start: StartOf<typeof client, "stock.reserve"> = {
    typeName: "stock.reserve",
    input: { sku: "s" },
    priority: 1,
  };
  await client.startChain(start);
  const starts: StartOf<typeof client>[] = [start, { typeName: "fraud.check", input: { orderId: "o" } }];
  await client.startChains({ items: starts });
  // @ts-expect-error: the input of another type
  const wrong: StartOf<typeof client> = { typeName: "fraud.check", input: { sku: "s" } };
  // @ts-expect-error: not an entry
  type Refund = StartOf<typeof client, "order.refund">;
  expectTypeOf(wrong).not.toEqualTypeOf<Refund>();
});

it("the type arguments of a call beyond the name are refused, whatever they are", async () => {
  await client.startChain<"stock.reserve">({ typeName: "stock.reserve", input: { sku: "s" } });
  // @ts-expect-error: the input of its type
  await client.startChain<"stock.reserve">({ typeName: "stock.reserve", input: { sku: 1 } });
  // @ts-expect-error: no type can be written for it
  await client.startChain<"stock.reserve", { typeName: "stock.reserve"; input: 1 }>({
    typeName: "stock.reserve",
    input: 1,
  });
  // @ts-expect-error: nor any
  await client.startChain<"stock.reserve", Any>({ typeName: "stock.reserve", input: { sku: "s" } });
  // @ts-expect-error: no type can be written for it
  await client.completeChain<"fraud.check", { score: string }>({
    id: "c",
    typeName: "fraud.check",
    output: { score: "" },
  });
  // @ts-expect-error: nor any
  await client.completeChain<"fraud.check", Any>({ id: "c", typeName: "fraud.check", output: { score: 1 } });
  // @ts-expect-error: no type can be written for it
  await client.continueChain<"order.place", { typeName: "a" }>({
    id: "c",
    typeName: "order.place",
    with: { typeName: "a" },
  });
  // @ts-expect-error: nor any
  await client.continueChain<"order.place", Any>({ id: "c", typeName: "order.place", with: { typeName: "a" } });
});

/** A type argument that switches checks off. */
type Any = ReturnType<typeof JSON.parse>;

type MailStarter = StarterOf<typeof mailJobTypes>;

it("every client that has a slice is a starter of it", async () => {
  const own = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes: mailJobTypes });
  const alone: MailStarter = own;
  const among: MailStarter = both;
  const several: StarterOf<readonly [typeof mailJobTypes, typeof orderJobTypes]> = both;
  const ofClient: StarterOf<typeof both> = both;
  expectTypeOf([alone, among, several, ofClient]).not.toBeAny();
});

it("a starter has the calls of its types", async () => {
  const starter: MailStarter = both;
  const chain = await starter.startChain({ typeName: "mail.send", input: { to: "a" } });
  expectTypeOf(chain.input).toEqualTypeOf<{ to: string }>();
  const [first] = await starter.startChains({ items: [{ typeName: "mail.list", input: { list: "l" } }] });
  expectTypeOf(first.typeName).toEqualTypeOf<"mail.list">();
  expectTypeOf((await starter.awaitChain(chain)).output).toEqualTypeOf<{ sent: boolean }>();
  expectTypeOf(await starter.getChain(chain)).toEqualTypeOf<
    Chain<"mail.send", { to: string }, { sent: boolean }> | undefined
  >();
  // @ts-expect-error: the input of its type
  await starter.startChain({ typeName: "mail.send", input: { to: 1 } });
  // @ts-expect-error: an option that does not exist
  await starter.startChain({ typeName: "mail.send", input: { to: "a" }, delay: 5 });
  // @ts-expect-error: a type of the client that is not in the slice
  await starter.startChain({ typeName: "fraud.check", input: { orderId: "o" } });
  // @ts-expect-error: a type of the client that is not in the slice
  await starter.awaitChain({ id: "c", typeName: "fraud.check" });
});

it("a client that lacks a type of the slice, or declares it otherwise, is no starter of it", () => {
  // @ts-expect-error: no mails
  const lacking: MailStarter = client;
  interface More {
    "mail.send": { entry: true; input: { to: string; from: string }; output: { sent: boolean } };
  }
  // @ts-expect-error: another input
  const more: StarterOf<ReturnType<typeof defineJobTypes<More>>> = both;
  interface Fewer {
    "mail.send": { entry: true; input: { to: string | number }; output: { sent: boolean } };
  }
  // @ts-expect-error: another input
  const fewer: StarterOf<ReturnType<typeof defineJobTypes<Fewer>>> = both;
  expectTypeOf([lacking, more, fewer]).not.toBeAny();
});

it("a starter takes the transactions that it names", async () => {
  const starter: StarterOf<typeof orderJobTypes, TestTx> = client;
  const tx: TestTx = { query: async () => {} };
  await starter.startChain({ tx, typeName: "fraud.check", input: { orderId: "o" } });
  const none: StarterOf<typeof orderJobTypes> = client;
  // @ts-expect-error: it names none
  await none.startChain({ tx, typeName: "fraud.check", input: { orderId: "o" } });
  // @ts-expect-error: the client has another one
  const other: StarterOf<typeof mailJobTypes, TestTx> = both;
  expectTypeOf(other).not.toBeAny();
});

it("a generic function starts a chain whose type it does not know", async () => {
  const starter: MailStarter = both;
  async function enqueue<Name extends keyof Mails>(typeName: Name, input: Mails[Name]["input"]) {
    return await starter.startChain({ typeName, input, priority: 5 });
  }
  expectTypeOf((await enqueue("mail.send", { to: "a" })).input).toEqualTypeOf<{ to: string }>();
  // @ts-expect-error: the input of another type
  await enqueue("mail.list", { to: "a" });
});

const traced: Middleware<{ traceId: string }> = async (_attempt, next) => await next({ traceId: "t" });

it("a handler is typed by one line, away from createProcessors", () => {
  const place: HandlerOf<typeof client, typeof orderJobTypes, "order.place", { traceId: string }> = async (context) => {
    expectTypeOf(context.traceId).toEqualTypeOf<string>();
    return context.continueWith({
      typeName: "order.charge",
      input: { orderId: context.job.input.orderId, cents: 1 },
      blockers: [{ typeName: "stock.reserve", input: { sku: "s" } }],
    });
  };
  const charge: HandlerOf<typeof client, typeof orderJobTypes, "order.charge"> = async ({ job, complete }) => {
    expectTypeOf(job.blockers[0]).toEqualTypeOf<
      CompletedBlocker<"stock.reserve", { sku: string }, { reserved: number }>
    >();
    return complete(async ({ tx }) => {
      expectTypeOf(tx).toEqualTypeOf<TestTx>();
      return { receipt: "r" };
    });
  };
  async function refund({ job }: ContextOf<typeof client, typeof orderJobTypes, "order.refund">) {
    expectTypeOf(job.input).toEqualTypeOf<{ orderId: string }>();
    return { refunded: true } as const;
  }
  // @ts-expect-error: another output
  const wrong: HandlerOf<typeof client, typeof orderJobTypes, "fraud.check"> = async () => ({ score: "high" });
  // @ts-expect-error: not a type of the slice
  type Unknown = HandlerOf<typeof client, typeof orderJobTypes, "mail.send">;
  expectTypeOf<[typeof wrong, Unknown]>();
  createProcessors({
    client,
    jobTypes: orderJobTypes,
    middleware: [traced],
    processors: {
      "order.place": place,
      "order.charge": { handler: charge, retry: { maxAttempts: 3 } },
      "order.refund": refund,
      "stock.reserve": async () => ({ reserved: 1 }),
      "fraud.check": async () => ({ score: 1 }),
    },
  });
});
