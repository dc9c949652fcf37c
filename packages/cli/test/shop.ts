import { createClient, createProcessors, createWorker, defineJobTypes, FatalError } from "chainwright";
import type { TestStore } from "./stores.ts";

const shopTypes = defineJobTypes<{
  "mail.send": { entry: true; input: { to: string; password?: string }; output: { sent: boolean } };
  "order.place": { entry: true; input: { orderId: string }; continueWith: "order.charge" };
  "order.charge": { input: { orderId: string }; output: { receipt: string }; blockers: "mail.send"[] };
  "order.approve": { entry: true; input: { orderId: string }; output: null; signals: { decision: { ok: boolean } } };
}>();

/** A client of the shop, and what its worker does. */
export function shopOf({ stateAdapter }: Pick<TestStore, "stateAdapter">) {
  const client = createClient({ stateAdapter, jobTypes: shopTypes, observers: [] });
  const processors = createProcessors({
    client,
    jobTypes: shopTypes,
    processors: {
      "mail.send": async ({ job }) => {
        if (job.input.to.startsWith("bad")) throw new FatalError(`no such mailbox: ${job.input.to}`);
        return { sent: true };
      },
      "order.place": async ({ job, continueWith }) =>
        continueWith({ typeName: "order.charge", input: job.input, blockers: [] }),
      "order.charge": async ({ job }) => ({ receipt: `receipt of ${job.input.orderId}` }),
      "order.approve": async () => null,
    },
  });
  return { client, processors };
}

/** Fills a store: two completed chains, three failed ones, one due tomorrow, one that waits for a signal, one that is ready. */
export async function fillShop(store: Pick<TestStore, "stateAdapter">) {
  await store.stateAdapter.migrate();
  const { client, processors } = shopOf(store);
  const worker = createWorker({ client, processors: [processors], pollIntervalMs: 50 });
  await worker.start();
  const placed = await client.startChain({
    typeName: "order.place",
    input: { orderId: "o-1" },
    tags: { tenant: "acme" },
    deduplication: { key: "o-1" },
  });
  await client.awaitChain(placed);
  const sent = await client.startChain({ typeName: "mail.send", input: { to: "ada", password: "hush-hush" } });
  await client.awaitChain(sent);
  const failed = await client.startChains({
    items: ["bad-1", "bad-2", "bad-3"].map((to) => ({ typeName: "mail.send" as const, input: { to } })),
  });
  for (const chain of failed) await client.awaitChain(chain).catch(() => undefined);
  await worker.stop();
  const later = await client.startChain({
    typeName: "mail.send",
    input: { to: "eve" },
    schedule: { afterMs: 86_400_000 },
  });
  const waiting = await client.startChain({
    typeName: "order.approve",
    input: { orderId: "o-2" },
    waitUntil: "forever",
  });
  const ready = await client.startChain({ typeName: "mail.send", input: { to: "bob" } });
  return { client, placed, sent, failed, later, waiting, ready };
}
