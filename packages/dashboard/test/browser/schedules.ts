import type { Browser } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { seriousFaults } from "./pages.ts";
import { createScene } from "./scene.ts";
import { shoot, visit, type VisitOptions } from "./visit.ts";

/** Recurring schedules: their ticks, pauses and starts by hand. */
export function schedules(browser: () => Browser) {
  it("show the last ticks as dots, each with a link to its chain or the reason why it started none", async () => {
    const at = await arrive(browser(), "");
    await at.scene.client.createSchedule({
      id: "checks",
      typeName: "mail.send",
      input: { to: "ada@example.com", template: "check" },
      everyMs: 10_000,
      overlap: "skip",
    });
    for (let second = 0; second < 35; second += 1) await at.scene.clock.advance(1_000);
    await at.visitor.open("schedules");
    const line = at.page.getByRole("row", { name: "checks" });
    await line
      .getByRole("img", { name: /skipped, because the chain of the tick before was active/ })
      .first()
      .waitFor();
    expect(await seriousFaults(at.page)).toEqual([]);
    await shoot(at.page, "schedules-ticks");
    await line.getByRole("link", { name: /: chain / }).click();
    await at.page.getByText("mail.send").first().waitFor();
    expect(at.visitor.complaints).toEqual([]);
  });

  it("are paused, resumed and triggered by an operator, who cannot delete them", async () => {
    const at = await arrive(browser(), "schedules", { role: "operator" });
    await at.page.getByRole("button", { name: "Pause schedule reminders" }).click();
    await at.page.getByRole("button", { name: "Pause 1 schedule" }).click();
    await at.page.getByText("Paused 1 schedule.").waitFor();
    await at.page.getByRole("button", { name: "Resume schedule reminders" }).waitFor();
    expect(await at.stored()).toMatchObject({ paused: true });
    await at.page.getByRole("button", { name: "Run now: schedule reminders" }).click();
    await at.page.getByRole("button", { name: "Run now 1 schedule" }).click();
    await at.page.getByText("Triggered 1 schedule.").waitFor();
    await at.page.getByRole("button", { name: "Resume schedule reminders" }).click();
    await at.page.getByRole("button", { name: "Resume 1 schedule" }).click();
    await at.page.getByText("Resumed 1 schedule.").waitFor();
    expect(await at.stored()).toMatchObject({ paused: false });
    await at.page.getByRole("link", { name: "reminders" }).click();
    await at.page.getByRole("heading", { level: 1, name: "reminders" }).waitFor();
    expect(await at.page.getByRole("button", { name: "Delete" }).count()).toBe(0);
    expect(at.scene.audited.map(({ action }) => action)).toEqual([
      "pause-schedule",
      "trigger-schedule",
      "resume-schedule",
    ]);
  });
}

/** The edit of a recurring schedule, and what a viewer is offered. */
export function scheduleEdits(browser: () => Browser) {
  it("are edited with a preview of the next runs, which says where the clocks change", async () => {
    const at = await arrive(browser(), "schedules/reminders", { role: "operator" });
    await at.page.getByRole("button", { name: "Edit schedule reminders" }).click();
    const dialog = at.page.getByRole("dialog", { name: "Edit: 1 schedule" });
    await dialog.getByLabel("Pattern").fill("0 25 * * *");
    await dialog.getByText("Refused for 1 schedule").waitFor();
    expect(await dialog.getByRole("button", { name: "Edit schedule" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Pattern").fill("30 2 28 3 *");
    await dialog.getByText("this time does not exist on this day").first().waitFor();
    await shoot(at.page, "dialog-edit-schedule");
    expect(await seriousFaults(at.page)).toEqual([]);
    expect(await at.stored()).toMatchObject({ cron: "0 9 * * MON-FRI" });
    await dialog.getByRole("button", { name: "Edit 1 schedule" }).click();
    await at.page.getByText("Edited 1 schedule.").waitFor();
    expect(await at.stored()).toMatchObject({ cron: "30 2 28 3 *", timeZone: "Europe/Vienna" });
    await at.page.getByRole("button", { name: "Reset schedule reminders" }).waitFor();
  });

  it("offer a viewer no action", async () => {
    const at = await arrive(browser(), "schedules/reminders", { role: "viewer" });
    await at.page.getByRole("heading", { level: 1, name: "reminders" }).waitFor();
    expect(await at.page.locator("main").getByRole("button", { name: "schedule" }).count()).toBe(0);
  });
}

async function arrive(browser: Browser, path: string, options: VisitOptions = {}) {
  const scene = await createScene("/jobs/", 0);
  onTestFinished(() => scene.close());
  const visitor = await visit(browser, scene.url, options);
  await visitor.open(path);
  const stored = async () => (await scene.client.listSchedules({ ids: ["reminders"] })).items[0];
  return { scene, page: visitor.page, visitor, stored };
}
