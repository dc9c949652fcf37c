import { createClient, createInProcessStateAdapter, defineJobTypes } from "chainwright";
import { createVirtualClock } from "chainwright/testing";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createDashboardAt } from "../../src/create-dashboard.ts";
import { createScene, type Scene } from "./scene.ts";
import { serve } from "./serve.ts";
import { shoot, visit } from "./visit.ts";

/** Lists, live updates and details. */
export function reading(browser: () => Browser) {
  let made: Scene | undefined;
  const scene = () => {
    if (made === undefined) throw new Error("no scene");
    return made;
  };

  beforeAll(async () => {
    made = await createScene("/jobs/");
  });

  afterAll(async () => {
    await made?.close();
  });

  it("filters the list by the address and writes every filter to the address", async () => {
    const visitor = await visit(browser(), scene().url);
    const { page } = visitor;
    await visitor.open("chains");
    await page.getByRole("link", { name: "Failed" }).last().click();
    await page.waitForURL(/status=failed/);
    await page.getByLabel("Error text").fill("insufficient");
    await page.waitForURL(/errorText=insufficient/);
    await page.getByLabel("Began as").fill("order.place");
    await page.waitForURL(/typeName=order\.place/);
    await page.locator("tbody tr").first().waitFor();
    await expect
      .poll(async () => [...new Set(await page.locator("tbody td .badge").allInnerTexts())])
      .toEqual(["Failed"]);
    await page.reload();
    await page.locator("tbody tr").first().waitFor();
    expect(await page.getByLabel("Error text").inputValue()).toBe("insufficient");
    await page.getByRole("button", { name: "Clear" }).click();
    await page.waitForURL(/chains$/);
    await page.getByLabel("Error text").fill("no such text");
    await page.getByText("No chain matches").waitFor();
    await page.getByRole("button", { name: "Clear" }).click();

    await page.getByRole("button", { name: "Time" }).click();
    await page.getByLabel("Started from").fill("2026-11-20T09:30:00");
    await page.waitForURL(/from=\d+/);
    await page.locator("tbody tr").first().waitFor();
    await page.getByLabel("Started before").fill("2026-11-20T09:30:01");
    await page.waitForURL(/until=\d+/);
    await page.getByRole("link", { name: "catalogue.import" }).waitFor();
    await page.locator("tbody tr", { hasText: "review.approve" }).first().waitFor({ state: "detached" });
    await page.getByPlaceholder("Chain or job id").fill("01a");
    await page.getByText("This is not an id").waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  it("finds chains by a tag and by a deduplication key, and shows both as links", async () => {
    const visitor = await visit(browser(), scene().url);
    const { page } = visitor;
    await visitor.open("chains");
    await page.getByLabel("Tag").fill("orderId");
    await page.getByText("This is not a tag").waitFor();
    await page.getByLabel("Tag").fill("orderId=7002");
    await page.waitForURL(/tag=orderId%3D7002/);
    await expect.poll(async () => await idsOn(page)).toEqual([scene().chains.failed]);
    await page.getByRole("link", { name: "order.place" }).click();
    await page.getByRole("link", { name: "key order 7002" }).click();
    await page.waitForURL(/chains\?key=order\+7002/);
    await expect.poll(async () => await idsOn(page)).toEqual([scene().chains.failed]);
    expect(await page.getByLabel("Deduplication key").inputValue()).toBe("order 7002");
    await page.getByRole("button", { name: "Clear" }).click();
    await page.waitForURL(/chains$/);
    expect(visitor.complaints).toEqual([]);
  });

  it("keeps a filter that is typed directly after the others were cleared", async () => {
    const visitor = await visit(browser(), scene().url);
    const { page } = visitor;
    await visitor.open("chains?errorText=insufficient&status=failed");
    await page.locator("tbody tr").first().waitFor();
    // In the same frame, as a fast hand or a script types.
    await page.evaluate(`(async () => {
      const field = document.querySelector("[placeholder='Text in an error']");
      [...document.querySelectorAll("button")].find((button) => button.textContent.trim() === "Clear").click();
      await Promise.resolve();
      field.value = "no such text";
      field.dispatchEvent(new Event("input", { bubbles: true }));
    })()`);
    await page.getByText("No chain matches").waitFor();
    expect(new URL(page.url()).search).toBe("?errorText=no+such+text");
    expect(visitor.complaints).toEqual([]);
  });

  it("draws the last hour and day as the store has kept them, although no page was open", async () => {
    const visitor = await visit(browser(), scene().url);
    const { page } = visitor;
    await visitor.open("");
    const drawn = (name: RegExp) => page.getByRole("img", { name });
    await drawn(/^Queue age: Longest wait /).waitFor();
    const ofAll = await drawn(/^Run time: p95 \d.*, p50 \d/).getAttribute("aria-label");
    await page.getByLabel("Charts of").selectOption("order.charge");
    await expect.poll(async () => await drawn(/^Run time: /).getAttribute("aria-label")).not.toBe(ofAll);
    await page.getByLabel("Time range").selectOption("day");
    await drawn(/^Run time: p95 \d.*, p50 \d/).waitFor();
    // A type without a worker has no run times.
    await page.getByLabel("Charts of").selectOption("mail.send");
    await page.getByText("Run times appear once").waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  it("draws rates and run times of the last minutes for all types or for one", async () => {
    const visitor = await visit(browser(), scene().url);
    const { page } = visitor;
    await visitor.open("");
    await page.getByLabel("Time range").selectOption("live");
    const drawn = (name: RegExp) => page.getByRole("img", { name });
    await drawn(/^Throughput: Completed .+ Failed /).waitFor();
    const ofAll = await drawn(/^Run time: p95 \d.*, p50 \d/).getAttribute("aria-label");
    await page.getByLabel("Charts of").selectOption("order.charge");
    await expect.poll(async () => await drawn(/^Run time: /).getAttribute("aria-label")).not.toBe(ofAll);
    // A type without a worker has no run times.
    await page.getByLabel("Charts of").selectOption("mail.send");
    await page.getByText("Run times appear once").waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  it("shows the versions and pools of waiting jobs, and the pools of workers", async () => {
    const live = await createScene("/", 0);
    const visitor = await visit(browser(), live.url);
    const { page } = visitor;
    await visitor.open("");
    await page.getByRole("region", { name: "Workers" }).getByText("no pool").first().waitFor();
    expect(await page.getByRole("heading", { name: "Versions and pools" }).count()).toBe(0);
    await live.client.startChain({ typeName: "review.approve", input: { orderId: "1" }, pool: "desk" });
    await live.clock.advance(5_000);
    await page.getByRole("heading", { name: "Versions and pools" }).waitFor();
    const row = page.getByRole("region", { name: "Versions and pools" }).getByRole("row", { name: /desk/ });
    await row.getByText("no live worker claims them").waitFor();
    await shoot(page, "overview-pools");
    expect(visitor.complaints).toEqual([]);
    await live.close();
  });

  it("moves between pages without skipping or repeating a chain", async () => {
    const visitor = await visit(browser(), scene().url);
    const { page } = visitor;
    await visitor.open("chains");
    const first = await idsOn(page);
    await page.getByRole("button", { name: "Next" }).click();
    await page.waitForURL(/cursor=/);
    await expect.poll(async () => (await idsOn(page))[0]).not.toBe(first[0]);
    const second = await idsOn(page);
    expect(new Set([...first, ...second]).size).toBe(first.length + second.length);
    await page.getByRole("button", { name: "Previous" }).click();
    await expect.poll(async () => await idsOn(page)).toEqual(first);
  });

  it("updates rows live without moving them", async () => {
    const live = await createScene("/", 0);
    const visitor = await visit(browser(), live.url);
    const { page } = visitor;
    await visitor.open("chains");
    await page.locator("[data-live=live]").waitFor();
    const before = await idsOn(page);
    const row = page.locator("tbody tr", { hasText: live.chains.waiting });
    await live.client.cancelChains({ items: [{ id: live.chains.waiting }] });
    const { id: fresh } = await live.client.startChain({ typeName: "review.approve", input: { orderId: "1" } });
    await live.clock.advance(5_000);
    await row.getByText("Cancelled").waitFor();
    await page.getByRole("button", { name: "1 newer chain" }).waitFor();
    expect(await idsOn(page)).toEqual(before);
    await shoot(page, "chains-newer");
    await page.getByRole("button", { name: "1 newer chain" }).click();
    await expect.poll(async () => (await idsOn(page))[0]).toBe(fresh);

    await visitor.open("chains?status=failed&errorText=declined");
    await page.locator("[data-live=live]").waitFor();
    await live.client.startChains({
      items: [0, 4_900].map((cents) => ({ typeName: "order.place", input: { orderId: `${cents}`, cents } }) as const),
    });
    await live.clock.advance(10_000);
    // Only the failed chain matches the filter.
    await page.getByRole("button", { name: "1 newer chain" }).waitFor();

    await visitor.open(`chains/${fresh}`);
    await page.locator("[data-live=live]").waitFor();
    await live.clock.advance(5_000);
    await live.client.completeChain({ id: fresh, typeName: "review.approve", output: { by: "Grace" } });
    await live.clock.advance(5_000);
    await page.getByText('"Grace"').waitFor();
    await live.close();
  });

  it("explains a job that waits for a worker, for its due time or for a blocker", async () => {
    const { chains } = scene();
    const visitor = await visit(browser(), scene().url);
    for (const [id, text] of [
      [chains.waiting, "none handles this type"],
      [chains.scheduled, "Due"],
      [chains.blocked, "fraud.check"],
    ] as const) {
      await visitor.open(`chains/${id}`);
      await visitor.page.getByRole("region", { name: "Explanation" }).getByText(text).first().waitFor();
    }
    await visitor.page.getByRole("region", { name: "Explanation" }).getByRole("link", { name: "fraud.check" }).click();
    await visitor.page.getByText("Waits for this chain").waitFor();
  });

  it("shows a payload of one megabyte line by line and copies all of it", async () => {
    const visitor = await visit(browser(), scene().url);
    const { page, context } = visitor;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await visitor.open(`chains/${scene().chains.large}`);
    await page.getByRole("button", { name: /^Load / }).click();
    const tree = page.getByRole("tree", { name: "output" });
    await page.getByRole("button", { name: "Expand output" }).click();
    await tree.focus();
    await page.keyboard.press("End");
    await tree.getByText("8999:").waitFor();
    expect(await tree.getByRole("treeitem").count()).toBeLessThan(80);
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowLeft");
    await expect.poll(async () => await tree.getByRole("treeitem").count()).toBe(1);
    await page.getByRole("button", { name: "Copy output" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    expect((JSON.parse(copied) as { invoices: unknown[] }).invoices).toHaveLength(9_000);
    expect(visitor.complaints).toEqual([]);
  });

  it("shows the step selected in the graph with its attempts and their stacks", async () => {
    const visitor = await visit(browser(), scene().url);
    const { page } = visitor;
    await visitor.open(`chains/${scene().chains.retried}`);
    await page.getByRole("heading", { name: "Failed attempts (3)" }).waitFor();
    await page
      .getByText(/^RangeError: bank took more than 900 ms[^]* at /)
      .first()
      .waitFor();
    await page
      .getByRole("group", { name: /^Steps/ })
      .getByRole("button", { name: "order.place" })
      .click();
    await page.getByRole("heading", { name: "Step 1: order.place" }).waitFor();
    expect(page.url()).toMatch(/\?step=/);
  });

  it("reports an empty list, a missing page, a missing permission and an unreachable server", async () => {
    const clock = createVirtualClock();
    const client = createClient({
      stateAdapter: createInProcessStateAdapter({ clock }),
      jobTypes: defineJobTypes<{ "mail.send": { entry: true; input: string; output: string } }>(),
      clock,
    });
    let signedIn = true;
    const dashboard = createDashboardAt({ client, authorize: () => (signedIn ? { role: "admin" } : null) }, clock);
    const server = await serve(dashboard);
    const visitor = await visit(browser(), `${server.origin}/`);
    const { page } = visitor;
    for (const [path, text] of [
      ["", "Nothing has been started yet"],
      ["chains", "No chain has been started yet"],
      ["failed", "Nothing has failed"],
      ["schedule", "Nothing is scheduled"],
      ["limits", "No limit is declared"],
      ["schedules", "There are no schedules"],
      ["schedules/nobody", "There is no such schedule"],
      ["chains/nobody", "There is no such chain"],
      ["elsewhere", "There is no such page"],
    ] as const) {
      await visitor.open(path);
      await page.getByText(text).waitFor();
      await shoot(page, `empty-${path.replace("/", "-") || "overview"}`);
    }
    await visitor.open("failed");
    await page.route("**/-/schedule*", (route) => route.abort());
    await page.getByRole("link", { name: "Due later" }).click();
    await page.getByText("The server cannot be reached").waitFor();
    await page.unroute("**/-/schedule*");
    // It asks again by itself.
    await page.getByText("Nothing is scheduled").waitFor();
    signedIn = false;
    await page.getByRole("link", { name: "Failed" }).click();
    await page.getByText("You are signed out").waitFor();
    signedIn = true;
    await page.getByRole("button", { name: "Sign in again" }).click();
    await page.getByText("Nothing has failed").waitFor();
    await server.close();
    await client.close();
  });
}

export async function idsOn(page: Page): Promise<readonly string[]> {
  return await page.locator("tbody .chain-id").allInnerTexts();
}
