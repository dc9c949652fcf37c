import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createScene, type Scene } from "./scene.ts";
import { shoot, visit } from "./visit.ts";

/** Axe checks each colour scheme and each layout once. */
const looks = [
  { base: "/", theme: "dark", width: 1_280, axe: true },
  { base: "/", theme: "light", width: 1_280, axe: false },
  { base: "/jobs/", theme: "light", width: 380, axe: true },
  { base: "/jobs/", theme: "dark", width: 380, axe: false },
] as const;

/** The address of each page, and a word that appears once it is loaded. */
const views: readonly (readonly [name: string, path: (scene: Scene) => string, text: string])[] = [
  ["overview", () => "", "Throughput"],
  ["chains", () => "chains", "order.place"],
  ["chain-failed", ({ chains }) => `chains/${chains.failed}`, "insufficient funds"],
  ["chain-blocked", ({ chains }) => `chains/${chains.blocked}`, "Why is this not running?"],
  ["chain-completed", ({ chains }) => `chains/${chains.completed}`, "parcel"],
  ["chain-long", ({ chains }) => `chains/${chains.long}`, "18 more steps"],
  ["failed", () => "failed", "kinds of error"],
  ["schedule", () => "schedule", "Run now"],
  ["limits", () => "limits", "1 at a time"],
  ["schedules", () => "schedules", "Europe/Vienna"],
  ["schedules-one", () => "schedules/reminders", "CET"],
];

/** Every page, with two base paths, in both themes, wide and narrow. */
export function pages(browser: () => Browser) {
  const scenes = new Map<string, Scene>();

  beforeAll(async () => {
    for (const base of ["/", "/jobs/"]) scenes.set(base, await createScene(base));
  });

  afterAll(async () => {
    for (const scene of scenes.values()) await scene.close();
  });

  it.for(looks)("are complete and accessible at $base, $theme, $width px", async ({ base, theme, width, axe }) => {
    const scene = scenes.get(base);
    if (scene === undefined) throw new Error("no scene");
    const visitor = await visit(browser(), scene.url, { theme, width });
    const { page } = visitor;
    for (const [name, path, text] of views) {
      await visitor.open(path(scene));
      await page.getByText(text).first().waitFor();
      await page.locator("[data-live=live]").waitFor();
      await shoot(page, `${name}-${theme}-${width}${base === "/" ? "" : "-mounted"}`);
      expect(await overflowOf(page), `${name} is no wider than the window`).toBe(0);
      expect(axe ? await seriousFaults(page) : [], `axe on ${name}`).toEqual([]);
    }
    expect(visitor.complaints).toEqual([]);
  });

  it("link to each other and back without leaving the base path", async () => {
    const scene = scenes.get("/jobs/");
    if (scene === undefined) throw new Error("no scene");
    const visitor = await visit(browser(), scene.url);
    const { page } = visitor;
    await visitor.open("");
    for (const [title, path] of [
      ["Chains", "chains"],
      ["Failed", "failed"],
      ["Limits", "limits"],
      ["Due later", "schedule"],
      ["Schedules", "schedules"],
      ["Overview", ""],
    ] as const) {
      await page.getByRole("navigation", { name: "Pages" }).first().getByRole("link", { name: title }).click();
      await page.getByRole("heading", { level: 1, name: title }).waitFor();
      expect(page.url()).toBe(`${scene.url}${path}`);
    }
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Schedules" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Schedules" }).waitFor();
  });

  it("can be reached by the keyboard alone", async () => {
    const scene = scenes.get("/");
    if (scene === undefined) throw new Error("no scene");
    const visitor = await visit(browser(), scene.url);
    const { page } = visitor;
    await visitor.open("");
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    await page.getByRole("heading", { level: 1, name: "Chains" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type(scene.chains.failed);
    await page.getByRole("link", { name: "order.place" }).first().focus();
    await page.waitForURL(/id=/);
    await page.locator("tbody tr").nth(1).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "order.place" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("insufficient funds").first().waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  it("keep the chosen colours", async () => {
    const scene = scenes.get("/");
    if (scene === undefined) throw new Error("no scene");
    const visitor = await visit(browser(), scene.url, { theme: "light" });
    const { page } = visitor;
    await visitor.open("");
    const background = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const light = await background();
    for (const name of ["light", "dark"]) await page.getByRole("button", { name: `Change to ${name}` }).click();
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(await background()).toBe(dark);
  });
}

export async function overflowOf(page: Page): Promise<unknown> {
  return await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
}

/** Returns the violations that axe rates as serious or worse, with their places. */
export async function seriousFaults(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).options({ resultTypes: ["violations"] }).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ""}`));
}
