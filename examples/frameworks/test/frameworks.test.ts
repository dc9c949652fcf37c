import { readFileSync } from "node:fs";
import { findChromium } from "@chainwright/backends/chromium";
import { chromium, type Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { fencesOf } from "../../../tooling/fences.ts";
import { ask, open, readUntil } from "./ask.ts";
import { stagePackages } from "./stage.ts";
import { startNext, startProgram, type Application } from "./start-application.ts";

// Longer than the build of Next.js may take.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 300_000 });

const page = readFileSync(new URL("../../../docs-site/guides/mounting-dashboard.md", import.meta.url), "utf8");

/** The fences below a heading of the guide. */
function recipesOf(heading: string): readonly string[] {
  const section = page.split(/^## /m).find((each) => each.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`the guide has no recipe for ${heading}`);
  return fencesOf(section).map(({ code }) => code);
}

const program = (name: string, listens: string) => async (): Promise<Application> =>
  await startProgram(name.toLowerCase().replace(/\W/g, ""), recipesOf(name).join("\n"), listens);

/** How each application is started; after its recipe comes only what makes it listen. */
const applications: Readonly<Record<string, () => Promise<Application>>> = {
  "node:http": program("node:http", ""),
  Express: program("Express", 'app.use(express.json());\napp.listen(port, "127.0.0.1");'),
  Fastify: program("Fastify", 'await app.listen({ port, host: "127.0.0.1" });'),
  Koa: program("Koa", 'app.listen(port, "127.0.0.1");'),
  NestJS: program("NestJS", 'await app.listen(port, "127.0.0.1");'),
  Hono: program(
    "Hono",
    'const { serve } = await import("@hono/node-server");\nserve({ fetch: app.fetch, port, hostname: "127.0.0.1" });',
  ),
  "Next.js": async () => {
    const [route = "", config = ""] = recipesOf("Next.js");
    return await startNext({
      "next.config.mjs": config,
      "app/jobs/[[...path]]/route.js": `import { dashboard } from "../../../shop.js";\n${route}\n`,
    });
  },
};

const executablePath = findChromium();
let browser: Browser | undefined;

beforeAll(async () => {
  await stagePackages();
  if (executablePath === undefined) return;
  // Chromium's sandbox does not work as root, and containers have little shared memory.
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
});

afterAll(async () => {
  await browser?.close();
});

describe.each(Object.entries(applications))("the dashboard mounted as the guide says on %s", (_name, startIt) => {
  let port = 0;
  let application: Application | undefined;

  beforeAll(async () => {
    application = await startIt();
    port = application.port;
  });

  afterAll(async () => {
    await application?.stop();
  });

  it("takes actions from the host that the browser addressed, and from no other origin or name", async () => {
    const statusOf = async (host: string, origin: string) => {
      const headers = { host, origin, "content-type": "application/json", "x-chainwright-dashboard": "1" };
      const body = { action: "cancel", ids: ["01a2001f-c84d-7000-af35-84eedaa3b12d"] };
      return (await ask({ port, path: "-/act", headers, body })).status;
    };
    const own = `127.0.0.1:${port}`;
    expect(await statusOf(own, `http://${own}`)).toBe(200);
    expect(await statusOf(`localhost:${port}`, `http://localhost:${port}`)).toBe(200);
    expect(await statusOf("shop.example.com", "https://shop.example.com")).toBe(200);
    expect(await statusOf("shop.example.com", `http://localhost:${port}`)).toBe(403);
    expect(await statusOf(own, `http://localhost:${port}`)).toBe(403);
    expect(await statusOf(own, "https://evil.example")).toBe(403);
    expect(await statusOf("evil.example", "http://evil.example")).toBe(421);
  });

  it("refuses to be read under a foreign name", async () => {
    const { status, text } = await ask({ port, path: "-/chains", headers: { host: "evil.example" } });
    expect([status, text.includes("order.charge")]).toEqual([421, false]);
  });

  it.skipIf(executablePath === undefined)(
    "shows its page, retries a chain from it, and streams each change at once",
    async () => {
      // What a browser asks for: frameworks that compress would hold events back.
      const headers = { accept: "text/event-stream", "accept-encoding": "gzip, deflate, br" };
      const stream = await open({ port, path: "-/events", headers });
      expect([stream.statusCode, stream.headers["content-encoding"]]).toEqual([200, undefined]);
      await readUntil(stream.iterator({ destroyOnReturn: false }), "retry: 2000");

      const visitor = await browser?.newPage();
      if (visitor === undefined) throw new Error("the browser did not start");
      const complaints: string[] = [];
      visitor.on("pageerror", (error) => complaints.push(String(error)));
      visitor.on("console", (message) => {
        if (message.type() === "error") complaints.push(message.text());
      });
      await visitor.goto(`http://127.0.0.1:${port}/jobs/chains`);
      await visitor.locator("main a", { hasText: "order.charge" }).first().click();
      await visitor.getByRole("button", { name: "Retry" }).click();
      const dialog = visitor.getByRole("dialog");
      await dialog.getByText("Possible for 1 chain").waitFor();
      await dialog.getByRole("button", { name: "Retry 1 chain" }).click();
      await visitor.getByText("Completed", { exact: true }).first().waitFor();
      await readUntil(stream.iterator({ destroyOnReturn: false }), "event: ");
      stream.destroy();
      expect(complaints).toEqual([]);
      await visitor.close();
    },
  );
});
