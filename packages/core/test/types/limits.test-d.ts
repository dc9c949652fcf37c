import { createClient, defineJobTypes, defineLimits, type ClientOptions, type Limits } from "chainwright";
import { expectTypeOf, it } from "vitest";
import { client, orderJobTypes, stateAdapter, type TestTx } from "./job-types.ts";
import { schema } from "./schema.ts";

const mails = defineJobTypes<{ "mail.send": { entry: true; input: { to: string }; output: null } }>();

it("a key function gets the input of its job type, from one slice or several", () => {
  const limits = defineLimits({
    jobTypes: [orderJobTypes, mails],
    limits: {
      order: {
        keys: {
          "order.charge": (input) => {
            expectTypeOf(input).toEqualTypeOf<{ orderId: string; cents: number }>();
            return input.orderId;
          },
        },
        concurrency: 1,
        whileRetrying: "hold",
      },
      smtp: { keys: { "mail.send": ({ to }) => (to === "" ? undefined : "main") }, rate: { count: 1, perMs: 1_000 } },
    },
  });
  expectTypeOf(limits).toEqualTypeOf<
    Limits<
      {
        "order.charge": {
          input: { orderId: string; cents: number };
          output: { receipt: string };
          continueWith: "order.charge" | "order.refund";
          blockers: ["stock.reserve", ..."fraud.check"[]];
        };
        "mail.send": { entry: true; input: { to: string }; output: null };
      },
      "order" | "smtp"
    >
  >();
});

it("a key function of a type with a schema gets the input as it is stored", () => {
  const jobTypes = defineJobTypes({ say: { entry: true, input: schema<string, number>(), output: schema<number>() } });
  defineLimits({
    jobTypes,
    limits: { all: { keys: { say: (input) => (expectTypeOf(input).toEqualTypeOf<string>(), input) } } },
  });
});

it("a client takes limits of its job types, also from options that were made before, and is the same client", () => {
  const limits = [
    defineLimits({
      jobTypes: orderJobTypes,
      limits: { order: { keys: { "order.charge": ({ orderId }) => orderId } } },
    }),
  ] as const;
  const limited = createClient({ stateAdapter, jobTypes: orderJobTypes, limits });
  expectTypeOf(limited).toEqualTypeOf(client);
  const options: ClientOptions<TestTx, typeof orderJobTypes> = { stateAdapter, jobTypes: orderJobTypes, limits };
  expectTypeOf(createClient(options)).toEqualTypeOf(client);
  const some: Limits<never, string>[] = [];
  createClient({ stateAdapter, jobTypes: orderJobTypes, limits: some });
  // @ts-expect-error -- no limits
  createClient({ stateAdapter, jobTypes: orderJobTypes, limits: [{ keys: {} }] });
});

it("a limit has only the options of limits", () => {
  const keys = { "mail.send": () => "all" };
  // @ts-expect-error -- concurency
  defineLimits({ jobTypes: mails, limits: { all: { keys, concurency: 1 } } });
  // @ts-expect-error -- there is no other way to wait
  defineLimits({ jobTypes: mails, limits: { all: { keys, whileRetrying: "wait" } } });
  // @ts-expect-error -- a rate needs its time
  defineLimits({ jobTypes: mails, limits: { all: { keys, rate: { count: 1 } } } });
  // @ts-expect-error -- a breaker says which errors count
  defineLimits({ jobTypes: mails, limits: { all: { keys, breaker: { failures: 1, withinMs: 1, openMs: 1 } } } });
});

it("calls about limits name them by text, because the store may have limits that this code does not know", async () => {
  await client.changeLimit({ limit: "tenant", key: "acme", concurrency: 20, rate: { count: 5, perMs: 1_000 } });
  await client.transaction(async (tx) => {
    await client.resetLimit({ limit: "tenant", tx });
    await client.pauseLimit({ limit: "tenant", key: "acme", forMs: 1_000, tx });
    await client.resumeLimit({ limit: "tenant", key: "acme", tx });
  });
  const { items } = await client.listLimits({ limit: "tenant", busy: true, pageSize: 100, cursor: undefined });
  expectTypeOf(items[0]?.opensAt).toEqualTypeOf<Date | undefined>();
  expectTypeOf((await client.listDeclaredLimits())[0]?.concurrency).toEqualTypeOf<number | undefined>();
  // @ts-expect-error -- a limit has a name
  await client.changeLimit({ concurrency: 20 });
  // @ts-expect-error -- the size of a page has another name, because limit is the name of a limit
  await client.listLimits({ limit: 100 });
});
