// Takes the pictures of the documentation: npm run docs:screenshots
// An argument is another folder for them.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findChromium } from "@chainwright/backends/chromium";
import { chromium, type Page } from "playwright-core";
import { builtUi } from "./built-ui.ts";
import { playDeath } from "./lost.ts";
import { serve } from "./serve.ts";
import { createScene, type Scene } from "./scene.ts";

const folder = process.argv[2] ?? fileURLToPath(new URL("../../../../docs-site/public/", import.meta.url));
const minutes = 12;

/** What each picture shows. The site shows the pictures that are committed, so that it builds without a browser. */
const pictures: Readonly<Record<string, (scene: Scene) => string>> = {
  "dashboard-overview": () => "",
  "dashboard-chain": ({ chains }) => `chains/${chains.blocked}`,
  "dashboard-failed": () => "failed",
  "dashboard-limits": () => "limits",
};

const executablePath = findChromium();
if (executablePath === undefined) process.exitCode = 1;
else await takeAll(executablePath);

async function takeAll(path: string): Promise<void> {
  await builtUi();
  // The clock of the scene does not advance while pictures are taken, so that pages look the same each time.
  const scene = await createScene("/jobs/", minutes);
  // Chromium's sandbox does not work as root, and containers have little shared memory.
  const browser = await chromium.launch({
    executablePath: path,
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
  try {
    const context = await browser.newContext({
      viewport: { width: 1_280, height: 940 },
      colorScheme: "light",
      reducedMotion: "reduce",
      timezoneId: "UTC",
      locale: "en-GB",
    });
    const page = await context.newPage();
    for (const [name, pathOf] of Object.entries(pictures)) await take(page, `${scene.url}${pathOf(scene)}`, name);
    await takeLost(page);
  } finally {
    await browser.close();
    await scene.close();
  }
}

async function take(page: Page, url: string, name: string): Promise<void> {
  await page.goto(url);
  await page.locator("main h1").first().waitFor();
  await page.locator("main .loading").waitFor({ state: "detached" });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

/** Of the overview only what it says of a worker that died: the scene has none. */
async function takeLost(page: Page): Promise<void> {
  const { dashboard, client } = await playDeath();
  const server = await serve(dashboard);
  try {
    await page.goto(`${server.origin}/`);
    const region = page.locator("section").filter({ hasText: "Lost workers" }).last();
    await region.getByRole("listitem").first().waitFor();
    await region.screenshot({ path: join(folder, "dashboard-lost.png") });
  } finally {
    await server.close();
    await client.close();
  }
}
