import type { VirtualClock } from "chainwright/testing";
import type { createShop } from "./shop.ts";

const secondMs = 1_000;
const minuteMs = 60_000;

interface Play {
  readonly client: ReturnType<typeof createShop>["client"];
  readonly clock: VirtualClock;
  readonly minutes: number;
  /** Called from time to time while orders are placed. */
  readonly onProgress: () => Promise<unknown>;
}

/** Places orders for some minutes. Returns the ids of chains in each state that the pages show. */
export async function playShop(play: Play) {
  const started = await startFirst(play);
  await placeOrders(play);
  return { ...started, ...(await startLast(play)) };
}

/** Starts chains that are scheduled, or have ended before the last minute. */
async function startFirst({ client }: Play) {
  await client.createSchedule({
    id: "reminders",
    typeName: "mail.send",
    input: { to: "ada@example.com", template: "reminder" },
    cron: "0 9 * * MON-FRI",
    timeZone: "Europe/Vienna",
  });
  const long = await client.startChain({ typeName: "catalogue.import", input: { page: 1, pages: 30 } });
  const large = await client.startChain({ typeName: "invoice.archive", input: { month: "2026-10" } });
  const completed = await placeOrder(client, "7000", 4_900);
  const scheduled = await client.startChain({
    typeName: "mail.send",
    input: { to: "ada@example.com", template: "reminder" },
    schedule: { afterMs: 26 * 60 * minuteMs },
  });
  await client.startChains({
    items: [2, 9, 48].map((hours) => ({
      typeName: "invoice.archive" as const,
      input: { month: `2026-${hours}` },
      schedule: { afterMs: hours * 60 * minuteMs },
    })),
  });
  const retried = await placeOrder(client, "7001", 95_000);
  return { long: long.id, large: large.id, completed, scheduled: scheduled.id, retried };
}

/** Some of the orders fail, and some are retried. */
async function placeOrders({ client, clock, minutes, onProgress }: Play): Promise<void> {
  for (let number = 0; number < minutes * 24; number += 1) {
    const cents = number % 9 === 4 ? 0 : number % 23 === 11 ? 95_000 : 1_000 + number;
    await placeOrder(client, String(8_000 + number), cents);
    if (number % 2 === 0) await onProgress();
    await clock.advance((0.9 + ((number * number) % 11) * 0.32) * secondMs);
  }
}

/** Starts chains that have failed, wait or were cancelled at the end. */
async function startLast({ client, clock }: Play) {
  const failed = await placeOrder(client, "7002", 0);
  await clock.advance(5 * secondMs);
  const blocked = await placeOrder(client, "held-7003", 4_900);
  await placeOrder(client, "7004", 95_000);
  await clock.advance(2 * secondMs);
  const cancelled = await client.startChain({ typeName: "review.approve", input: { orderId: "7000" } });
  await client.cancelChains({ items: [{ id: cancelled.id, reason: "the customer called it off" }] });
  const waiting = await client.startChain({
    typeName: "mail.send",
    input: { to: "bob@example.com", template: "thanks" },
  });
  await client.startChain({ typeName: "review.approve", input: { orderId: "7001" } });
  await clock.advance(secondMs);
  const [charge] = (await client.listChainJobs({ id: blocked, order: "newest" })).items;
  const blocker = charge === undefined ? undefined : (await client.listJobBlockers({ id: charge.id })).items[1];
  return { failed, blocked, blocker: blocker?.id ?? "", cancelled: cancelled.id, waiting: waiting.id };
}

async function placeOrder(client: Play["client"], orderId: string, cents: number): Promise<string> {
  const labels = { tags: { orderId, tenant: "acme" }, deduplication: { key: `order ${orderId}` } };
  return (await client.startChain({ typeName: "order.place", input: { orderId, cents }, ...labels })).id;
}
