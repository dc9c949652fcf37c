import type { Browser } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { seriousFaults } from "./pages.ts";
import { createScene } from "./scene.ts";
import { shoot, visit, type VisitOptions } from "./visit.ts";

async function arrive(browser: Browser, options: VisitOptions) {
  const scene = await createScene("/jobs/", 0);
  onTestFinished(() => scene.close());
  const visitor = await visit(browser, scene.url, options);
  const waitUntil = { afterMs: 3_600_000 };
  const { id } = await scene.client.startChain({ typeName: "refund.approve", input: { orderId: "A-1" }, waitUntil });
  await visitor.open(`chains/${id}`);
  return { ...scene, visitor, page: visitor.page, id };
}

/** A step that waits for a signal, and the form that sends one. */
export function signals(browser: () => Browser) {
  it("are sent to a waiting step by an operator, who sees what is wrong with them before", async () => {
    const { page, visitor, id, client, audited } = await arrive(browser(), { role: "operator" });
    await page.getByText("Waiting", { exact: true }).first().waitFor();
    await page.getByText("Waits until").waitFor();
    await page.getByRole("button", { name: "Send a signal" }).click();
    const send = page.getByRole("button", { name: /^Send a signal to/ });
    expect(await send.isDisabled()).toBe(true);
    await page.getByLabel("Payload (JSON)").fill('{ "by": ');
    await page.getByRole("alert").getByText(/JSON/).waitFor();
    await page.getByLabel("Payload (JSON)").fill('{ "by": 7 }');
    await page.getByLabel(/^Signal for/).fill("approved");
    await page
      .getByText(/by.*string|string.*by|Expected string/i)
      .first()
      .waitFor();
    expect(await send.isDisabled()).toBe(true);
    await page.getByLabel("Payload (JSON)").fill('{ "by": "Ada" }');
    await page.getByText("Possible for 1 chain").waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await shoot(page, "dialog-send-signal");
    await page.getByRole("button", { name: "Send a signal to 1 chain" }).click();
    await page.getByText("Sent a signal to 1 chain.").last().waitFor();
    const row = page.getByRole("region", { name: "Signals" }).getByRole("row", { name: /approved/ });
    await row.getByText("Taken").waitFor();
    await shoot(page, "chain-signals");
    expect(await seriousFaults(page)).toEqual([]);
    expect((await client.listSignals({ id })).items).toMatchObject([{ signal: "approved", payload: { by: "Ada" } }]);
    expect(audited).toMatchObject([{ action: "send-signal", ids: [id], done: [id] }]);
    expect(visitor.complaints).toEqual([]);
  });

  it("are not offered to a viewer", async () => {
    const { page } = await arrive(browser(), { role: "viewer" });
    await page.getByText("Waits until").waitFor();
    expect(await page.getByRole("button", { name: "Send a signal" }).count()).toBe(0);
  });
}
