import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  defineLimits,
  FatalError,
} from "chainwright";
import type { VirtualClock } from "chainwright/testing";
import * as v from "valibot";

/** Schemas exist at run time, so that the dashboard can check an edited input. */
const shopJobTypes = defineJobTypes({
  "order.place": {
    entry: true,
    input: v.object({ orderId: v.string(), cents: v.number() }),
    continueWith: ["order.charge"],
  },
  "order.charge": {
    input: v.object({ orderId: v.string(), cents: v.number() }),
    continueWith: ["order.ship"],
    blockers: ["stock.reserve", "fraud.check"],
  },
  "order.ship": {
    input: v.object({ orderId: v.string() }),
    output: v.object({ parcel: v.string(), weightGrams: v.number(), items: v.array(v.string()) }),
  },
  "stock.reserve": { entry: true, input: v.object({ sku: v.string() }), output: v.object({ reserved: v.number() }) },
  "fraud.check": { entry: true, input: v.object({ orderId: v.string() }), output: v.object({ score: v.number() }) },
  "catalogue.import": {
    entry: true,
    input: v.object({ page: v.number(), pages: v.number() }),
    output: v.object({ imported: v.number() }),
    continueWith: ["catalogue.import"],
  },
  "invoice.archive": { entry: true, input: v.object({ month: v.string() }), output: v.unknown() },
});

/** No worker processes these types: people approve, and the worker for mails is not running. */
const deskJobTypes = defineJobTypes({
  "review.approve": { entry: true, input: v.object({ orderId: v.string() }), output: v.object({ by: v.string() }) },
  "refund.approve": {
    entry: true,
    input: v.object({ orderId: v.string() }),
    signals: { approved: v.object({ by: v.string() }), rejected: v.null() },
    output: v.object({ by: v.string() }),
  },
  "mail.send": {
    entry: true,
    input: v.object({ to: v.string(), template: v.string() }),
    output: v.object({ messageId: v.string() }),
  },
});

/** One order at a time is held back. */
const shopLimits = defineLimits({
  jobTypes: shopJobTypes,
  limits: {
    desk: {
      keys: { "fraud.check": ({ orderId }) => (orderId.startsWith("held-") ? "second look" : undefined) },
      concurrency: 1,
    },
  },
});

/** A shop whose orders determine what happens: a declined card, an unavailable mail server, a slow warehouse. */
export function createShop(clock: VirtualClock) {
  const client = createShopClient(clock);
  const processors = createShopProcessors(client, clock);
  return {
    client,
    createWorkers: () => [
      createWorker({ client, processors: [processors], name: "shop-eu-1", concurrency: 12 }),
      createWorker({ client, processors: [processors], name: "shop-eu-2", concurrency: 12 }),
    ],
  };
}

function createShopClient(clock: VirtualClock) {
  return createClient({
    stateAdapter: createInProcessStateAdapter({ clock }),
    jobTypes: [shopJobTypes, deskJobTypes],
    limits: [shopLimits],
    clock,
    observers: [],
  });
}

function createShopProcessors(client: ReturnType<typeof createShopClient>, clock: VirtualClock) {
  const passing = (ms: number) => new Promise<void>((resolve) => void clock.setTimer(resolve, ms));
  const between = (least: number, most: number) => least + Math.floor(clock.random() * (most - least));
  return createProcessors({
    client,
    jobTypes: shopJobTypes,
    processors: {
      "order.place": async ({ job, continueWith }) => {
        await passing(between(5, 30));
        const { orderId } = job.input;
        return continueWith({
          typeName: "order.charge",
          input: job.input,
          blockers: [
            { typeName: "stock.reserve", input: { sku: `sku-${orderId}` } },
            { typeName: "fraud.check", input: { orderId } },
          ],
        });
      },
      "order.charge": {
        retry: { maxAttempts: 3, backoff: { initialMs: 2_000, multiplier: 2, maxMs: 60_000, jitter: 0 } },
        handler: async ({ job, continueWith }) => {
          await passing(between(150, 900));
          if (job.input.cents <= 0)
            throw new FatalError(`card of ${job.input.orderId} was declined: insufficient funds`);
          if (job.input.cents > 90_000) throw new RangeError(`bank took more than 900 ms for ${job.input.cents} cents`);
          return continueWith({ typeName: "order.ship", input: { orderId: job.input.orderId } });
        },
      },
      "order.ship": async ({ job }) => {
        await passing(between(40, 260));
        return { parcel: `P-${job.input.orderId}`, weightGrams: between(200, 4_000), items: ["cup", "saucer"] };
      },
      "stock.reserve": async () => {
        await passing(between(10, 80));
        return { reserved: 1 };
      },
      "fraud.check": async ({ job }) => {
        await passing(between(60, 400));
        if (job.input.orderId.startsWith("held-")) await passing(3_600_000);
        return { score: between(0, 100) };
      },
      "catalogue.import": async ({ job, continueWith }) => {
        await passing(between(100, 300));
        const { page, pages } = job.input;
        if (page >= pages) return { imported: pages * 100 };
        return continueWith({ typeName: "catalogue.import", input: { page: page + 1, pages } });
      },
      "invoice.archive": async ({ job }) => {
        await passing(between(100, 200));
        return archive(job.input.month);
      },
    },
  });
}

/** About a megabyte. */
function archive(month: string): unknown {
  return {
    month,
    note: "x".repeat(4_000),
    invoices: Array.from({ length: 9_000 }, (_, index) => ({
      number: `${month}-${index}`,
      cents: index * 7,
      customer: { id: index % 500, name: `Customer ${index % 500}` },
      paid: index % 3 !== 0,
    })),
  };
}
