import { createVirtualClock } from "chainwright/testing";
import { createDashboardAt } from "../../src/create-dashboard.ts";
import type { AuditEntry } from "../../src/options.ts";
import type { Role } from "../../src/protocol/actions.ts";
import { createShop } from "./shop.ts";
import { serve } from "./serve.ts";

const secondMs = 1_000;
const minuteMs = 60_000;

/** The chains that the tests use. */
export interface SceneChains {
  readonly completed: string;
  readonly failed: string;
  readonly retried: string;
  readonly blocked: string;
  readonly blocker: string;
  readonly scheduled: string;
  readonly waiting: string;
  readonly cancelled: string;
  readonly long: string;
  readonly large: string;
}

/**
 * A shop after some busy minutes, and its dashboard below a base path. Time advances only when a test advances the clock, so pages look
 * the same each time. A cookie chooses the role; without one it is `admin`.
 */
export async function createScene(basePath: string, minutes = 2) {
  // The browser's clock advances by itself, and pages show exact times.
  const clock = createVirtualClock({ startAt: Date.UTC(2026, 10, 20, 9, 30) });
  const { client, createWorkers } = createShop(clock);
  const audited: AuditEntry[] = [];
  const dashboard = createDashboardAt(
    {
      client,
      basePath,
      authorize: (request) => ({ role: roleOf(request), name: "Ada Lovelace" }),
      audit: (entry) => void audited.push(entry),
    },
    clock,
  );
  const workers = createWorkers();
  for (const worker of workers) await worker.start();

  const start = async (orderId: string, cents: number) =>
    (await client.startChain({ typeName: "order.place", input: { orderId, cents } })).id;
  const long = await client.startChain({ typeName: "catalogue.import", input: { page: 1, pages: 30 } });
  const large = await client.startChain({ typeName: "invoice.archive", input: { month: "2026-10" } });
  const completed = await start("7000", 4_900);
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
  const retried = await start("7001", 95_000);
  for (let number = 0; number < minutes * 24; number += 1) {
    const cents = number % 9 === 4 ? 0 : number % 23 === 11 ? 95_000 : 1_000 + number;
    await start(String(8_000 + number), cents);
    if (number % 2 === 0) await dashboard.fetch(new Request(`http://localhost${basePath}-/overview`));
    await clock.advance((0.9 + ((number * number) % 11) * 0.32) * secondMs);
  }
  const failed = await start("7002", 0);
  await clock.advance(5 * secondMs);
  const blocked = await start("held-7003", 4_900);
  await start("7004", 95_000);
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
  const blocker = charge === undefined ? undefined : (await client.getJobBlockers({ id: charge.id })).items[1];

  const server = await serve(dashboard);
  return {
    clock,
    client,
    audited,
    url: `${server.origin}${basePath}`,
    chains: {
      completed,
      failed,
      retried,
      blocked,
      blocker: blocker?.id ?? "",
      scheduled: scheduled.id,
      waiting: waiting.id,
      cancelled: cancelled.id,
      long: long.id,
      large: large.id,
    } satisfies SceneChains,
    async close() {
      await server.close();
      // Stopping waits for handlers, and handlers wait for time to pass.
      const stopped = Promise.all(workers.map((worker) => worker.stop({ timeoutMs: secondMs })));
      await clock.advance(minuteMs);
      await stopped;
      await client.close();
    },
  };
}

export type Scene = Awaited<ReturnType<typeof createScene>>;

const roles: readonly Role[] = ["viewer", "operator", "admin"];

function roleOf(request: Request): Role {
  const cookie = request.headers.get("cookie") ?? "";
  return roles.find((role) => cookie.includes(`role=${role}`)) ?? "admin";
}
