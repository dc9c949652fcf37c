import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { onTestFinished } from "vitest";
import type { Role } from "../../src/protocol/actions.ts";

const screenshots = fileURLToPath(new URL("../../../../.cache/dashboard-screenshots/", import.meta.url));

export interface VisitOptions {
  readonly theme?: "light" | "dark";
  readonly width?: number;
  readonly role?: Role;
}

/** A visitor with a browser context of its own, until the test ends. */
export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Opens a path below the base and waits for its content. */
  readonly open: (path: string) => Promise<void>;
  /** Errors of the page, and everything that the content security policy blocked. */
  readonly complaints: readonly string[];
}

const headings = "main h1, main .empty, main .failure";

export async function visit(browser: Browser, url: string, options: VisitOptions = {}): Promise<Visit> {
  const { theme = "light", width = 1_280, role } = options;
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: theme,
    reducedMotion: "reduce",
    timezoneId: "UTC",
    locale: "en-GB",
  });
  onTestFinished(() => context.close());
  if (role !== undefined) await context.addCookies([{ name: "role", value: role, url }]);
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  return {
    page,
    context,
    complaints,
    async open(path) {
      await page.goto(`${url}${path}`);
      await page.locator(headings).first().waitFor();
      await page.locator("main .loading").waitFor({ state: "detached" });
    },
  };
}

export async function shoot(page: Page, name: string): Promise<void> {
  mkdirSync(screenshots, { recursive: true });
  await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true });
}
