import type { Browser } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { createImportStage } from "../import-stage.ts";
import { overflowOf, seriousFaults } from "./pages.ts";
import { serve } from "./serve.ts";
import { shoot, visit, type VisitOptions } from "./visit.ts";

async function arrive(browser: Browser, options: VisitOptions) {
  const stage = await createImportStage({ basePath: "/jobs/" });
  onTestFinished(() => stage.close());
  const server = await serve(stage.dashboard);
  onTestFinished(() => server.close());
  const ids: string[] = [];
  for (const file of ["may", "june", "july"]) {
    const input = { file, parts: 40 };
    ids.push((await stage.client.startChain({ typeName: "customers.import", input })).id);
    await stage.clock.advance(7_250);
  }
  await stage.client.startChain({ typeName: "mail.send", input: { to: "ada@example.com" } });
  await stage.clock.advance(500);
  const visitor = await visit(browser, `${server.origin}/jobs/`, options);
  return { ...stage, visitor, page: visitor.page, id: ids[0] ?? "" };
}

/** Progress, checkpoint, results of `once` and the log of a long handler. */
export function notes(browser: () => Browser) {
  for (const look of [
    { theme: "light", width: 1_280 },
    { theme: "dark", width: 380 },
    { theme: "light", width: 380 },
    { theme: "dark", width: 1_280 },
  ] as const) {
    it(`of a long handler move while the page is open, ${look.theme}, ${look.width} px`, async () => {
      const { page, visitor, clock, id } = await arrive(browser(), look);
      await visitor.open("chains");
      const bar = page.getByRole("progressbar", { name: `Progress of ${id}` });
      await bar.waitFor();
      await page.locator("[data-live=live]").waitFor();
      const before = Number(await bar.getAttribute("aria-valuenow"));
      await shoot(page, `notes-list-${look.theme}-${look.width}`);
      expect(await seriousFaults(page)).toEqual([]);
      expect(await overflowOf(page), "the list is no wider than the window").toBe(0);
      await clock.advance(4_000);
      // The last look is up to two seconds old when the clock stops.
      const moved = `[role=progressbar][aria-label="Progress of ${id}"]:not([aria-valuenow="${before}"])`;
      await page.locator(moved).waitFor();

      await visitor.open(`chains/${id}`);
      await page.getByRole("heading", { name: "Checkpoint" }).waitFor();
      await page.getByText("create-table").waitFor();
      const log = page.getByRole("log");
      await log.getByText("import of may begins").waitFor();
      await page.locator("[data-live=live]").waitFor();
      await clock.advance(4_000);
      await log.getByText("part 28 of 40").waitFor();
      await shoot(page, `notes-chain-${look.theme}-${look.width}`);
      expect(await seriousFaults(page)).toEqual([]);
      expect(await overflowOf(page), "the page is no wider than the window").toBe(0);
      await page.getByLabel("Level").selectOption("warn");
      await log.getByText("begins").waitFor({ state: "detached" });
      await page.getByLabel("Text in the log").fill("mirror");
      await log.getByText("postcode").first().waitFor({ state: "detached" });
      await log.getByText("the mirror did not respond").first().waitFor();
      await page.getByLabel("Text in the log").fill("nothing like this");
      await page.getByText("No line matches.").waitFor();
      expect(visitor.complaints).toEqual([]);
    });
  }
}
