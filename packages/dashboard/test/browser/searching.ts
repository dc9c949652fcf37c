import type { Browser } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { idsOn } from "./reading.ts";
import { createScene } from "./scene.ts";
import { visit } from "./visit.ts";

/** Searches of chains. */
export function searching(browser: () => Browser) {
  it("finds chains by the beginning of an id and by a value in the input", async () => {
    const scene = await createScene("/jobs/");
    onTestFinished(() => scene.close());
    const visitor = await visit(browser(), scene.url);
    const { page } = visitor;
    const failed = scene.chains.failed;
    await visitor.open("chains");
    await page.getByPlaceholder("Chain or job id").fill(failed.slice(0, 30));
    await page.waitForURL(/id=/);
    await expect.poll(async () => await idsOn(page)).toEqual([failed]);
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByLabel("Input", { exact: true }).fill("orderId");
    await page.getByText("This is not a path and a value").waitFor();
    const { input } = (await scene.client.getChain({ id: failed })) ?? {};
    const { orderId } = input as { readonly orderId: string };
    await page.getByLabel("Input", { exact: true }).fill(`orderId=${orderId}`);
    await page.getByLabel("Began as").fill("order.place");
    await page.waitForURL(/typeName=order\.place/);
    await expect.poll(async () => await idsOn(page)).toContain(failed);
    expect(visitor.complaints).toEqual([]);
  });
}
