import type { Browser } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { createIndexingStage } from "../indexing-stage.ts";
import { overflowOf, seriousFaults } from "./pages.ts";
import { serve } from "./serve.ts";
import { shoot, visit } from "./visit.ts";

/** A job that was handled together with others. */
export function batches(browser: () => Browser) {
  for (const look of [
    { theme: "light", width: 1_280 },
    { theme: "dark", width: 380 },
  ] as const) {
    it(`of a failed step say how many jobs each had, and lead to its other jobs, ${look.theme}, ${look.width} px`, async () => {
      const { client, dashboard, ids } = await createIndexingStage("/jobs/");
      onTestFinished(() => client.close());
      const server = await serve(dashboard);
      onTestFinished(() => server.close());
      const visitor = await visit(browser(), `${server.origin}/jobs/`, look);
      const { page } = visitor;
      await visitor.open(`chains/${ids[7]}`);
      await page.getByText("Alone in its batch after 5 halvings.").waitFor();
      await page.getByText("In a batch of 32.").waitFor();
      await page.getByRole("button", { name: "Show its other jobs" }).last().click();
      const others = page.getByRole("list", { name: "Other jobs of the batch" }).last();
      await page.getByText("The next 10 of the 31 others:").waitFor();
      expect(await others.getByRole("listitem").count()).toBe(10);
      expect(await others.getByText("Completed").count()).toBe(10);
      expect(await seriousFaults(page)).toEqual([]);
      expect(await overflowOf(page), "the page is no wider than the window").toBe(0);
      await shoot(page, `batch-${look.theme}-${look.width}`);
      await others.getByRole("link").first().click();
      await page
        .getByText(ids[8] ?? "")
        .first()
        .waitFor();
      await page.getByText("In a batch of 32.").waitFor();
    });
  }
}
