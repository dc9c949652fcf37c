import type { Browser, Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { seriousFaults } from "./pages.ts";
import { createScene, type Scene } from "./scene.ts";
import { shoot, visit, type VisitOptions } from "./visit.ts";

/** Actions: each role's permissions, and that only the shown chains change. */
export function actions(browser: () => Browser) {
  const arrive = async (path: (scene: Scene) => string, options: VisitOptions = {}) => {
    const scene = await createScene("/jobs/", 0);
    onTestFinished(() => scene.close());
    const visitor = await visit(browser(), scene.url, options);
    await visitor.open(path(scene));
    const { page } = visitor;
    const statusOf = async (id: string) => (await scene.client.getChain({ id }))?.status;
    return {
      scene,
      page,
      visitor,
      statusOf,
    };
  };

  it("are offered by role: a viewer only reads, an operator cannot delete", async () => {
    const at = await arrive(({ chains }) => `chains/${chains.failed}`, { role: "viewer" });
    const offered = async () => [
      await at.page.getByRole("button", { name: "Retry" }).count(),
      await at.page.getByRole("button", { name: "Delete" }).count(),
    ];
    expect(await offered()).toEqual([0, 0]);
    await at.visitor.open("chains");
    expect(await at.page.getByRole("checkbox").count()).toBe(0);
    await at.visitor.context.addCookies([{ name: "role", value: "operator", url: at.scene.url }]);
    await at.visitor.open(`chains/${at.scene.chains.failed}`);
    expect(await offered()).toEqual([1, 0]);
    await at.visitor.context.addCookies([{ name: "role", value: "admin", url: at.scene.url }]);
    await at.visitor.open(`chains/${at.scene.chains.failed}`);
    expect(await offered()).toEqual([1, 1]);
  });

  it("pause a job type for a reason, which a badge shows, and resume it", async () => {
    const at = await arrive(() => "", { role: "operator" });
    const name = "order.place";
    await at.page.getByRole("button", { name: `Pause ${name}`, exact: true }).click();
    const dialog = at.page.getByRole("dialog", { name: "Pause: 1 job type" });
    await dialog.getByText("Possible for 1 job type").waitFor();
    await dialog.getByRole("textbox").fill("the provider is down");
    await shoot(at.page, "dialog-pause");
    expect(await seriousFaults(at.page)).toEqual([]);
    await dialog.getByRole("button", { name: "Pause 1 job type" }).click();
    await at.page.getByText("Paused 1 job type.").waitFor();
    await at.page.locator(".paused-badge").getByText("the provider is down").waitFor();
    await shoot(at.page, "overview-paused");
    expect(await seriousFaults(at.page)).toEqual([]);
    expect(await at.scene.client.listPausedTypes()).toMatchObject([{ typeName: name, reason: "the provider is down" }]);

    await at.page.getByRole("button", { name: `Resume ${name}`, exact: true }).click();
    await at.page.getByRole("button", { name: "Resume 1 job type" }).click();
    await at.page.getByText("Resumed 1 job type.").waitFor();
    await at.page.getByRole("button", { name: `Pause ${name}`, exact: true }).waitFor();
    expect(await at.scene.client.listPausedTypes()).toEqual([]);
    expect(at.scene.audited.map(({ action, done }) => [action, ...done])).toEqual([
      ["pause", name],
      ["resume", name],
    ]);
    expect(at.visitor.complaints).toEqual([]);
  });

  it("retry a chain with an edited input that its schema has checked", async () => {
    const at = await arrive(({ chains }) => `chains/${chains.failed}`);
    await at.page.getByRole("button", { name: "Retry" }).click();
    const dialog = at.page.getByRole("dialog", { name: "Retry: 1 chain" });
    await dialog.getByText("Possible for 1 chain").waitFor();
    await dialog.getByText("Edit the input of").click();
    const input = dialog.getByRole("textbox");

    await input.fill('{ "orderId": "7002", "cents": ');
    await dialog.getByRole("alert").waitFor();
    expect(await dialog.getByRole("button", { name: "Retry" }).isDisabled()).toBe(true);

    await input.fill('{ "orderId": "7002", "cents": "none" }');
    await dialog.getByText("Refused for 1 chain").waitFor();
    expect(await dialog.getByRole("button", { name: "Retry" }).isDisabled()).toBe(true);

    await input.fill('{ "orderId": "7002", "cents": 4900 }');
    await dialog.getByText("Possible for 1 chain").waitFor();
    await dialog.getByText("replace /cents = 4900").waitFor();
    await shoot(at.page, "dialog-retry");
    expect(await seriousFaults(at.page)).toEqual([]);
    await dialog.getByRole("button", { name: "Retry 1 chain" }).click();
    await at.page.getByText("Retried 1 chain.").waitFor();
    await at.scene.clock.advance(10_000);
    expect(await at.statusOf(at.scene.chains.failed)).toBe("completed");
    await at.page.getByText("Completed").first().waitFor();
    const edit = [{ op: "replace", path: "/cents", value: 4900 }];
    expect(at.scene.audited).toMatchObject([{ action: "retry", edit, done: [at.scene.chains.failed] }]);
    expect(at.visitor.complaints).toEqual([]);
  });

  it("retry a group of failures at once with the same change to each input", async () => {
    const at = await arrive(() => "failed");
    const { client } = at.scene;
    const { items } = await client
      .startChains({
        items: ["9001", "9002"].map((orderId) => ({ typeName: "order.place" as const, input: { orderId, cents: 0 } })),
      })
      .then((started) => ({ items: started }));
    await at.scene.clock.advance(10_000);
    await at.page.getByRole("button", { name: "Retry 3 chains of order.charge with FatalError" }).click();
    const dialog = at.page.getByRole("dialog");
    await dialog.getByText("Possible for 3 chains").waitFor();
    await dialog.getByText("Edit the input of").click();
    const before = await dialog.getByRole("textbox").inputValue();
    await dialog.getByRole("textbox").fill(before.replace('"cents": 0', '"cents": 120'));
    await dialog.getByText("1 change", { exact: true }).waitFor();
    await dialog.getByText("Possible for 3 chains").waitFor();
    await dialog.getByRole("button", { name: "Retry 3 chains" }).click();
    await at.page.getByText("Retried 3 chains.").waitFor();
    await at.scene.clock.advance(10_000);
    for (const { id } of items) {
      const job = (await client.listChainJobs({ id, typeName: "order.charge" })).items[0];
      expect(job?.input).toMatchObject({ cents: 120 });
      expect(["9001", "9002"]).toContain(job?.input.orderId);
      expect(await at.statusOf(id)).toBe("completed");
    }
  });

  it("cancel with a reason, or keep the chain running", async () => {
    const at = await arrive(({ chains }) => `chains/${chains.waiting}`, { role: "operator" });
    const { waiting } = at.scene.chains;
    await at.page.getByText("Why is this not running?").waitFor();
    await at.page.getByRole("button", { name: "Cancel" }).click();
    await at.page.getByRole("button", { name: "Keep it running" }).click();
    expect(await at.statusOf(waiting)).toBe("active");
    await at.page.getByRole("button", { name: "Cancel" }).click();
    await at.page.getByRole("textbox").fill("  sent by hand ");
    await at.page.getByRole("button", { name: "Cancel 1 chain" }).click();
    await at.page.getByText("sent by hand").waitFor();
    expect(await at.scene.client.getChain({ id: waiting })).toMatchObject({
      status: "cancelled",
      reason: "sent by hand",
    });
  });

  it("run one or several scheduled jobs now", async () => {
    const at = await arrive(() => "schedule", { role: "operator" });
    const { scheduled } = at.scene.chains;
    await at.page.getByRole("button", { name: `Run now: job ${scheduled}` }).click();
    await at.page.getByRole("button", { name: "Run now 1 job" }).click();
    await at.page.getByText("Triggered 1 job.").waitFor();
    expect((await at.scene.client.listChainJobs({ id: scheduled })).items[0]?.status).toBe("ready");
    await at.page.getByRole("button", { name: `Run now: job ${scheduled}` }).waitFor({ state: "detached" });
    await at.page.getByRole("checkbox", { name: "Select all on this page" }).check();
    await at.page.getByRole("button", { name: /^Run \d+ now$/ }).click();
    await at.page.getByRole("button", { name: /^Run now \d+ jobs$/ }).click();
    await at.page.getByText("Nothing is scheduled").waitFor();
    expect((await at.scene.client.countJobs())["invoice.archive"]?.scheduled).toBe(0);
  });

  it("delete after showing which chains are deleted along with it", async () => {
    const at = await arrive(({ chains }) => `chains/${chains.blocker}`);
    const { blocker, blocked } = at.scene.chains;
    await at.page.getByRole("button", { name: "Delete" }).click();
    const dialog = at.page.getByRole("dialog");
    await dialog.getByText("Refused for 1 chain").waitFor();
    expect(await dialog.getByRole("button", { name: "Delete" }).isDisabled()).toBe(true);
    await dialog.getByRole("checkbox").check();
    await dialog.getByText("also 1 chain that waited for them").waitFor();
    await dialog.getByRole("button", { name: "Delete 1 chain" }).click();
    await at.page.getByText("Deleted 1 chain.").waitFor();
    expect([await at.statusOf(blocker), await at.statusOf(blocked)]).toEqual([undefined, undefined]);
    await at.page.getByText(/There is no such chain|This chain was deleted/).waitFor();
  });

  it("apply to the selected chains whose status allows them", async () => {
    const at = await arrive(() => "chains");
    const { failed, waiting, completed } = at.scene.chains;
    for (const id of [failed, waiting]) await tick(at.page, id);
    await at.page.getByRole("button", { name: "Retry 1" }).waitFor();
    await at.page.getByRole("button", { name: "Cancel 1" }).click();
    await at.page.getByRole("button", { name: "Cancel 1 chain" }).click();
    await at.page.getByText("Cancelled 1 chain.").waitFor();
    expect(await at.statusOf(waiting)).toBe("cancelled");
    expect(await at.statusOf(failed)).toBe("failed");
    for (const id of [failed, waiting]) await tick(at.page, id);
    await at.page.getByRole("button", { name: "Delete 2", exact: true }).click();
    await at.page.getByRole("button", { name: "Delete 2 chains" }).click();
    await at.page.getByText("Deleted 2 chains.").waitFor();
    expect([await at.statusOf(failed), await at.statusOf(waiting)]).toEqual([undefined, undefined]);
    expect(await at.statusOf(completed)).toBe("completed");
  });
}

async function tick(page: Page, id: string): Promise<void> {
  await page.getByRole("checkbox", { name: `Select chain ${id}` }).check();
}
