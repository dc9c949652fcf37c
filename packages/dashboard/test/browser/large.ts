import { createInProcessStateAdapter } from "chainwright";
import type { Browser } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { createDashboard } from "../../src/create-dashboard.ts";
import { createLargeChains } from "../large-chains.ts";
import { seriousFaults } from "./pages.ts";
import { serve } from "./serve.ts";
import { shoot, visit } from "./visit.ts";

const steps = 10_000;
const blockers = { completed: 19_950, active: 47, failed: 3 };

/** A chain of 10,000 steps, and one that waits for 20,000 others. */
export function large(browser: () => Browser) {
  it("are shown as a window of steps, and as counts of blockers", async () => {
    const { client, loop, join } = await createLargeChains(createInProcessStateAdapter(), { steps, blockers });
    const dashboard = createDashboard({ client, authorize: () => ({ role: "viewer" }) });
    const server = await serve(dashboard);
    onTestFinished(() => server.close());
    const { page, open, complaints } = await visit(browser(), `${server.origin}/`);

    await open(`chains/${loop}`);
    const rows = page.locator(".timeline-row");
    const note = async (text: string) => await page.getByText(text, { exact: true }).waitFor();
    await note("steps 1 to 50 of 10,000");
    await page.getByText("9,993 more steps").waitFor();
    expect(await rows.count()).toBe(50);
    await page.getByRole("button", { name: "Last steps" }).click();
    await note("steps 9,951 to 10,000 of 10,000");
    expect(await rows.last().textContent()).toContain("10000. page.crawl");
    expect(await page.getByRole("button", { name: "Next steps" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Previous steps" }).click();
    await note("steps 9,901 to 9,950 of 10,000");
    await rows.first().click();
    await page.getByRole("heading", { name: "Step 9901: page.crawl" }).waitFor();
    const address = page.url();
    await page.getByRole("button", { name: "First steps" }).click();
    await note("steps 1 to 50 of 10,000");
    await page.getByRole("button", { name: "Next steps" }).click();
    await note("steps 51 to 100 of 10,000");
    await page.getByRole("heading", { name: "Step 9901: page.crawl" }).waitFor();
    // A link to a step shows it and its neighbours, wherever it is in the chain.
    await page.goto(address);
    await note("steps 9,877 to 9,926 of 10,000");
    await page.getByRole("heading", { name: "Step 9901: page.crawl" }).waitFor();
    expect(await page.locator(".timeline-row[aria-pressed=true]").textContent()).toContain("9901. page.crawl");
    expect(await seriousFaults(page)).toEqual([]);
    await shoot(page, "large-loop");

    await open(`chains/${join}`);
    const nodes = page.locator(".graph-node");
    expect(await nodes.allTextContents()).toEqual([
      expect.stringContaining("parts.join"),
      ...Array<unknown>(3).fill(expect.stringContaining("Failed")),
      ...Array<unknown>(3).fill(expect.stringContaining("Active")),
      "44 more active",
      "19,950 completed",
    ]);
    await note("3 failed or cancelled, 47 active, 19,950 completed");
    const listed = page.getByRole("region", { name: "Blockers" }).locator("li");
    await expect.poll(async () => await listed.count()).toBe(20);
    await page.getByRole("button", { name: "Show all" }).click();
    await listed.getByText("Completed").first().waitFor();
    await page.getByRole("button", { name: "Next blockers" }).click();
    await expect.poll(async () => await page.getByRole("button", { name: "Previous blockers" }).isEnabled()).toBe(true);
    expect(await seriousFaults(page)).toEqual([]);
    await shoot(page, "large-fan-in");
    expect(complaints).toEqual([]);
    await client.close();
  });
}
