import { createClient, createInProcessStateAdapter, defineJobTypes } from "chainwright";
import { createVirtualClock } from "chainwright/testing";
import type { Browser } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { createDashboardAt } from "../../src/create-dashboard.ts";
import { overflowOf, seriousFaults } from "./pages.ts";
import { serve } from "./serve.ts";
import { shoot, visit } from "./visit.ts";

interface Types {
  readonly work: { entry: true; input: number; output: null };
}

const jobTypes = defineJobTypes<Types>();

/** Two jobs of a worker that died. Another worker runs the first of them again, the second one waits. */
export async function playDeath() {
  const clock = createVirtualClock({ startAt: Date.UTC(2026, 10, 20, 9, 30) });
  const stateAdapter = createInProcessStateAdapter({ clock });
  const client = createClient({ stateAdapter, jobTypes, clock, observers: [] });
  const dashboard = createDashboardAt({ client, authorize: () => ({ role: "viewer" }) }, clock);
  const beat = async (workerId: string, name: string, holds: number, aliveForMs: number) => {
    const said = { workerId, name, typeNames: ["work"], concurrency: 4, holds, aliveForMs };
    await stateAdapter.heartbeat(said, { now: clock.now() });
  };
  const claim = async (workerId: string, limit: number, leaseMs: number) => {
    const request = { workerId, types: [{ typeName: "work", leaseMs }], limit };
    await stateAdapter.exchange({ outcomes: [], claim: request }, { now: clock.now() });
  };
  const again = await client.startChain({ typeName: "work", input: 1 });
  const waits = await client.startChain({ typeName: "work", input: 2 });
  await beat("worker-7", "host 7", 2, 30_000);
  await claim("worker-7", 2, 30_000);
  await clock.advance(16_000);
  await beat("worker-8", "host 8", 0, 600_000);
  await clock.advance(20_000);
  await claim("worker-8", 1, 600_000);
  await beat("worker-8", "host 8", 1, 600_000);
  return { dashboard, client, again: again.id, waits: waits.id };
}

/** Workers that died, and their attempts. */
export function lost(browser: () => Browser) {
  for (const look of [
    { theme: "light", width: 1_280 },
    { theme: "dark", width: 380 },
  ] as const) {
    it(`workers are listed with their jobs, and are attempts of these, ${look.theme}, ${look.width} px`, async () => {
      const { dashboard, client, again, waits } = await playDeath();
      const server = await serve(dashboard);
      onTestFinished(async () => {
        await server.close();
        await client.close();
      });
      const visitor = await visit(browser(), `${server.origin}/`, look);
      const { page } = visitor;
      await visitor.open("");
      const region = page.getByRole("region", { name: "Lost workers" });
      await region.getByText("host 7").waitFor();
      expect(await region.getByRole("listitem").allInnerTexts()).toEqual([
        expect.stringMatching(new RegExp(`Running\\s+work\\s+attempt 1 of ${again}`)),
        expect.stringMatching(new RegExp(`Ready\\s+work\\s+attempt 1 of ${waits}`)),
      ]);
      await page.getByLabel("Jobs that host 8 runs now").click();
      await page.getByRole("region", { name: "Workers", exact: true }).getByText(again).waitFor();
      await shoot(page, `lost-overview-${look.theme}-${look.width}`);
      expect(await seriousFaults(page)).toEqual([]);
      expect(await overflowOf(page), "the overview is no wider than the window").toBe(0);

      await region.getByRole("link", { name: "work" }).first().click();
      await page.getByRole("heading", { name: "Lost attempts (1)" }).waitFor();
      await page
        .getByText("worker host 7 (worker-7) was lost with it, last seen at 2026-11-20T09:30:00.000Z.")
        .waitFor();
      await shoot(page, `lost-attempt-${look.theme}-${look.width}`);
      expect(await seriousFaults(page)).toEqual([]);
      expect(await overflowOf(page), "the page is no wider than the window").toBe(0);

      await visitor.open(`chains/${waits}`);
      await page.getByText("the lease of worker host 7 (worker-7) ran out at 2026-11-20T09:30:30.000Z").waitFor();
      await page.getByRole("heading", { name: "Lost attempts (1)" }).waitFor();
      expect(visitor.complaints).toEqual([]);
    });
  }
}
