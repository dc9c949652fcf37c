import type { Browser } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { seriousFaults } from "./pages.ts";
import { createScene } from "./scene.ts";
import { shoot, visit, type VisitOptions } from "./visit.ts";

async function arrive(browser: Browser, options: VisitOptions = {}) {
  const scene = await createScene("/jobs/", 0);
  onTestFinished(() => scene.close());
  const visitor = await visit(browser, scene.url, options);
  return { scene, visitor, page: visitor.page };
}

/** Limits: what waits for one, and the actions on them. */
export function limits(browser: () => Browser) {
  it("are shown with a job that waits for one and with its type, and are filtered by those that are busy", async () => {
    const { scene: live, visitor, page } = await arrive(browser());
    const { id } = await live.client.startChain({ typeName: "fraud.check", input: { orderId: "held-2" } });
    await live.clock.advance(5_000);
    await visitor.open(`chains/${id}`);
    const explanation = page.getByRole("region", { name: "Explanation" });
    await explanation.getByText('It waits for a place: "desk" of "second look" has 1 of 1').waitFor();
    await shoot(page, "chain-limited");
    await explanation.getByRole("link", { name: "desk: second look" }).click();
    await page.waitForURL(/limits\?limit=desk&key=second\+look/);
    const keys = page.getByRole("region", { name: "Busiest keys" }).getByRole("row", { name: /second look/ });
    await keys.getByText("1 of 1").waitFor();
    await visitor.open("");
    await page.getByRole("link", { name: /^1 wait for a limit/ }).click();
    await page.waitForURL(/limits\?busy=true&order=waiting/);
    await keys.waitFor();
    await live.client.cancelChains({ items: [{ id }] });
    await live.clock.advance(5_000);
    await page.getByText("No key is in use").waitFor();
    await page.getByRole("button", { name: "Busy" }).click();
    await keys.waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  it("offer no action to a viewer", async () => {
    const at = await arrive(browser(), { role: "viewer" });
    await at.visitor.open("limits");
    await at.page.getByRole("region", { name: "Busiest keys" }).getByText("second look").waitFor();
    expect(await at.page.getByRole("button", { name: /^(Change|Pause) desk/ }).count()).toBe(0);
  });

  changing(browser);
}

function changing(browser: () => Browser) {
  it("are changed, paused, resumed and reset for a key, with an audit line for each", async () => {
    const at = await arrive(browser(), { role: "operator" });
    await at.visitor.open("limits");
    const { page } = at;
    const { client, audited } = at.scene;
    await client.startChain({ typeName: "fraud.check", input: { orderId: "held-2" } });
    await at.scene.clock.advance(5_000);
    const row = page.getByRole("region", { name: "Busiest keys" }).getByRole("row", { name: /second look/ });
    await row.getByText("1 of 1").waitFor();
    const button = (name: string) => page.getByRole("button", { name: `${name} desk of second look`, exact: true });
    const confirm = async (verb: string, past: string) => {
      await page.getByText("Possible for 1 limit").waitFor();
      expect(await seriousFaults(page)).toEqual([]);
      await page.getByRole("button", { name: `${verb} 1 limit` }).click();
      await page.getByText(`${past} 1 limit.`).last().waitFor();
    };

    await button("Pause").click();
    await page.getByLabel(/^Seconds/).fill("90");
    await shoot(page, "dialog-pause-limit");
    await confirm("Pause", "Paused");
    await row.getByText("paused until").waitFor();
    await shoot(page, "limits-paused");
    expect(await seriousFaults(page)).toEqual([]);
    await button("Resume").click();
    await confirm("Resume", "Resumed");
    await row.getByText("paused until").waitFor({ state: "detached" });

    await button("Change").click();
    const places = page.getByLabel("Jobs of a key that run at the same time");
    expect(await places.inputValue()).toBe("1");
    await places.fill("0");
    await page.getByText(/Refused for 1 limit/).waitFor();
    await places.fill("4");
    await page.getByLabel(/^Reason/).fill("a big customer");
    await shoot(page, "dialog-change-limit");
    await confirm("Change", "Changed");
    await row.getByText("4 at a time").waitFor();
    await row.getByText("(changed; code: 1 at a time)").waitFor();
    await button("Reset").click();
    await confirm("Reset", "Reset");
    await row.getByText("(changed").waitFor({ state: "detached" });

    await at.scene.client.pauseLimit({ limit: "desk" });
    await page.reload();
    await row.getByText("paused with all keys of the limit").waitFor();
    expect([await button("Pause").count(), await button("Resume").count()]).toEqual([1, 0]);
    await page.getByRole("button", { name: "Resume desk", exact: true }).waitFor();

    const ids = ['["desk","second look"]'];
    expect(audited.map(({ action, done, change, reason }) => ({ action, done, change, reason }))).toEqual([
      { action: "pause-limit", done: ids, change: { forMs: 90_000 }, reason: undefined },
      { action: "resume-limit", done: ids, change: undefined, reason: undefined },
      { action: "change-limit", done: ids, change: { concurrency: 4 }, reason: "a big customer" },
      { action: "reset-limit", done: ids, change: undefined, reason: undefined },
    ]);
    expect(at.visitor.complaints).toEqual([]);
  });
}
