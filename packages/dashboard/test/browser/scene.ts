import { createVirtualClock } from "chainwright/testing";
import { createDashboardAt } from "../../src/create-dashboard.ts";
import type { AuditEntry } from "../../src/options.ts";
import type { Role } from "../../src/protocol/actions.ts";
import { playShop } from "./play-shop.ts";
import { createShop } from "./shop.ts";
import { serve } from "./serve.ts";

const secondMs = 1_000;
const minuteMs = 60_000;

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

  const chains = await playShop({
    client,
    clock,
    minutes,
    onProgress: () => dashboard.fetch(new Request(`http://localhost${basePath}-/overview`)),
  });
  const server = await serve(dashboard);
  return {
    clock,
    client,
    audited,
    url: `${server.origin}${basePath}`,
    chains,
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
