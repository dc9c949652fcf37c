import { onLook } from "../on-look.ts";
import { ChainwrightError } from "chainwright";
import type { Browser } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { createStage } from "../stage.ts";
import { overflowOf, seriousFaults } from "./pages.ts";
import { serve } from "./serve.ts";
import { shoot, visit, type VisitOptions } from "./visit.ts";

const many = 620;

async function arrive(browser: Browser, options: VisitOptions) {
  const stage = await createStage();
  await stage.order("1", 0);
  await stage.work();
  await stage.clock.advance(2 * 3_600_000);
  for (let n = 0; n < many; n += 1) await stage.order(String(n), 0);
  await stage.work();
  const server = await serve(stage.dashboard);
  onTestFinished(() => server.close());
  const visitor = await visit(browser, `${server.origin}/`, options);
  return { ...stage, visitor, page: visitor.page };
}

/** Failures in groups, and actions on all chains of a group or a filter. */
export function groups(browser: () => Browser) {
  it("are counted whole, and all chains of one are retried in batches, each with a line in the audit", async () => {
    const { page, visitor, client, audited } = await arrive(browser(), { width: 1_280 });
    await visitor.open("failed");
    await page.getByText(`1 kind of error, ${many + 1} failed steps`).waitFor();
    await page.getByRole("link", { name: "Last hour" }).click();
    await page.getByText(`1 kind of error, ${many} failed steps`).waitFor();
    await shoot(page, "failed-last-hour");
    await page.getByRole("button", { name: `Retry ${many} chains` }).click();
    await page.getByRole("heading", { name: `Retry: all ${many} chains` }).waitFor();
    await page.getByText("Possible for 500 chains").waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await shoot(page, "dialog-retry-all");
    await page.getByRole("button", { name: `Retry all ${many} chains` }).click();
    await page.getByText(`Retried ${many} chains.`).waitFor();
    expect((await client.countJobs())["order.charge"]).toMatchObject({ failed: 1, ready: many });
    expect(audited.map(({ done }) => done.length)).toEqual([500, many - 500]);
    expect(visitor.complaints).toEqual([]);
  });

  it("of a filter are cancelled, also those that the page does not show", async () => {
    const { page, visitor, client } = await arrive(browser(), { width: 380, theme: "dark" });
    for (let n = 0; n < 130; n += 1) await client.startChain({ typeName: "mail.send", input: { to: `${n}` } });
    await visitor.open("chains?step=ready");
    await page.getByLabel("Select chain").first().check();
    await shoot(page, "chains-selected-380");
    expect(await overflowOf(page)).toBe(0);
    for (const box of await page.getByLabel("Select chain").all()) await box.check();
    await page.getByRole("button", { name: "Cancel all that match" }).click();
    await page.getByRole("button", { name: "Cancel all chains that match" }).click();
    await page.getByText("Cancelled 130 chains.").waitFor();
    expect((await client.countJobs())["mail.send"]).toMatchObject({ ready: 0, cancelled: 130 });
    expect(visitor.complaints).toEqual([]);
  });
}

/** What the one on call sees beside the groups. */
export function onCall(browser: () => Browser) {
  it("pages have a title for their tab, and rows that the keyboard walks through", async () => {
    const { page, visitor, client } = await arrive(browser(), { width: 1_280 });
    await client.startChain({ typeName: "mail.send", input: { to: "ada@example.com" } });
    await client.startChain({ typeName: "mail.send", input: { to: "bob@example.com" } });
    await visitor.open("chains?step=ready&stepType=mail.send");
    await expect.poll(async () => await page.title()).toBe("mail.send ready chains \u00b7 Chainwright");
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await page.getByText("1 chain selected").waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByText("ada@example.com").first().waitFor();
    await expect.poll(async () => await page.title()).toMatch(/^mail\.send ready \w{6} · Chainwright$/);
    await page.getByRole("link", { name: "Failed" }).click();
    await expect.poll(async () => await page.title()).toBe("621 failed \u00b7 Chainwright");
    await page.getByRole("link", { name: "Overview" }).first().click();
    await expect.poll(async () => await page.title()).toBe("Overview \u00b7 Chainwright");
  });

  it("pages show that the database is away and recover by themselves", async () => {
    const { page, visitor, client, clock } = await arrive(browser(), { width: 1_280 });
    await visitor.open("failed");
    await page.locator("[data-live=live]").waitFor();
    await clock.advance(5_000);
    const { listJobs } = client;
    const away = async () => {
      throw new ChainwrightError("store-unavailable", "connect ECONNREFUSED");
    };
    const comeBack = onLook(client, away);
    Object.assign(client, { listJobs: away });
    await clock.advance(5_000);
    await page.locator("[data-live=no-store]").getByText("Database away").waitFor();
    await page.getByRole("link", { name: "Last hour" }).click();
    await page.getByText("The database cannot be reached").first().waitFor();
    await shoot(page, "store-away");
    expect(await seriousFaults(page)).toEqual([]);
    comeBack();
    Object.assign(client, { listJobs });
    await clock.advance(5_000);
    await page.locator("[data-live=live]").waitFor();
    await page.getByText(`1 kind of error, ${many} failed steps`).waitFor();
  });
}
