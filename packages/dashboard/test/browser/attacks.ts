import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  defineLimits,
  FatalError,
} from "chainwright";
import { createVirtualClock } from "chainwright/testing";
import type { Browser, BrowserContext } from "playwright-core";
import { expect, it } from "vitest";
import { createDashboardAt } from "../../src/create-dashboard.ts";
import { requestHeader } from "../../src/protocol/routes.ts";
import { createScene } from "./scene.ts";
import { serve, serveListener } from "./serve.ts";
import { shoot, visit } from "./visit.ts";

/** Each text calls `pwned()` if the page runs it as markup, attribute, address, script, style or template. */
const corpus = [
  `<script>pwned()</script>`,
  `<img src=x onerror=pwned()>`,
  `"><svg onload=pwned()>`,
  `' onmouseover='pwned()' autofocus onfocus='pwned()`,
  `javascript:pwned()//`,
  `</script><script>pwned()</script>`,
  `</textarea><iframe srcdoc="<script>parent.pwned()</script>">`,
  `<a href="javascript:pwned()">x</a>`,
  `\${pwned()}{{constructor.constructor('pwned()')()}}`,
  `<style>@import'javascript:pwned()';</style><body onload=pwned()>`,
  `<details open ontoggle=pwned()><math><mi//xlink:href="data:x,<script>pwned()</script>">`,
  `\u202e\u0000<object data="data:text/html,<script>pwned()</script>">`,
];

/** The page never runs data of others, and other sites cannot make the dashboard do anything. */
export function attacks(browser: () => Browser) {
  it("run nothing from names, payloads, errors, reasons and addresses", async () => {
    const stage = await createHostileStage();
    const visitor = await visit(browser(), stage.url);
    const { page, context } = visitor;
    const executed: string[] = [];
    await context.exposeFunction("pwned", () => executed.push(page.url()));
    page.on("dialog", (dialog) => {
      executed.push(dialog.message());
      void dialog.dismiss();
    });
    const requested = new Set<string>();
    page.on("request", (request) => requested.add(new URL(request.url()).origin));

    await visitor.open("");
    expect(await page.getByText(corpus[0] ?? "").count()).toBeGreaterThan(0);
    for (const path of ["chains", "failed", "schedule", "schedules", "limits"]) {
      await visitor.open(path);
      expect(await page.getByText("<script>pwned()</script>").count()).toBeGreaterThan(0);
    }
    for (const text of corpus.slice(0, 4)) await visitor.open(`schedules/${encodeURIComponent(text)}`);
    for (const id of stage.chainIds) {
      await visitor.open(`chains/${encodeURIComponent(id)}`);
      const large = page.getByRole("button", { name: "Expand input" });
      if ((await large.count()) > 0) await large.first().click();
    }
    await shoot(page, "hostile-chain");
    for (const text of corpus) {
      const asked = encodeURIComponent(text);
      await visitor.open(`chains?typeName=${asked}&errorText=${asked}&cursor=${asked}&status=${asked}`);
    }
    for (const text of corpus.slice(0, 4))
      await visitor.open(`chains/${encodeURIComponent(text)}?step=${encodeURIComponent(text)}`);

    await visitor.open("failed");
    await page
      .getByRole("button", { name: /^Retry/ })
      .first()
      .click();
    await page.getByText("Edit the input of").click();
    await page.getByRole("dialog").getByRole("textbox").fill(JSON.stringify(corpus));
    await page
      .getByText(/No changes yet|change/)
      .first()
      .waitFor();
    await page.keyboard.press("Escape");

    expect(executed).toEqual([]);
    expect([...requested]).toEqual([new URL(stage.url).origin]);
    // The content security policy was never needed, because data never became markup. Refused requests are expected.
    expect(visitor.complaints.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
    await stage.close();
  });

  it("from another site change nothing and read nothing", async () => {
    const scene = await createScene("/jobs/", 0);
    const { failed, waiting } = scene.chains;
    const act = `${scene.url}-/act`;
    const wish = JSON.stringify({ action: "delete", ids: [failed, waiting], cascade: true });
    const evil = await serveListener((request, response) => {
      response.setHeader("content-type", request.url === "/attack.js" ? "text/javascript" : "text/html");
      response.end(request.url === "/attack.js" ? attackScript(act, wish) : attackPage(act, wish, scene.url));
    });
    // Another host name is another site; another port alone is not.
    const elsewhere = evil.origin.replace("127.0.0.1", "localhost");

    const visitor = await visit(browser(), scene.url, { role: "admin" });
    await visitor.open("");
    const victim = await visitor.context.newPage();
    await victim.goto(elsewhere);
    await victim.waitForFunction("document.title === 'done'");
    const seen = await victim.evaluate<readonly string[]>("window.seen");
    expect(seen.filter((what) => what !== "refused")).toEqual([]);
    expect(seen.length).toBeGreaterThan(4);
    for (const frame of victim.frames().slice(1)) expect(await frame.locator("#app").count()).toBe(0);
    await submitForm(visitor.context, elsewhere);

    expect(scene.audited).toEqual([]);
    expect((await scene.client.getChain({ id: failed }))?.status).toBe("failed");
    expect((await scene.client.getChain({ id: waiting }))?.status).toBe("active");
    await evil.close();
    await scene.close();
  });
}

/** A form that sends something like JSON; the browser follows it and shows the refusal. */
async function submitForm(context: BrowserContext, elsewhere: string): Promise<void> {
  const page = await context.newPage();
  await page.goto(elsewhere);
  const [refused] = await Promise.all([
    page.waitForResponse((response) => response.request().method() === "POST" && response.url().endsWith("/-/act")),
    page.locator("#form button").click(),
  ]);
  expect(refused.status()).toBeGreaterThanOrEqual(400);
}

function attackPage(act: string, wish: string, dashboard: string): string {
  const field = wish.slice(0, -1).replaceAll('"', "&quot;");
  return `<!doctype html><title>wait</title>
    <form id="form" method="post" enctype="text/plain" action="${act}">
      <input type="hidden" name="${field},&quot;x&quot;:&quot;" value="&quot;}"><button>Win a prize</button>
    </form>
    <iframe src="${dashboard}"></iframe><iframe src="${dashboard}chains"></iframe>
    <script src="/attack.js"></script>`;
}

function attackScript(act: string, wish: string): string {
  return `
    const act = ${JSON.stringify(act)}, body = ${JSON.stringify(wish)};
    window.seen = [];
    const json = { "content-type": "application/json", ${JSON.stringify(requestHeader)}: "1" };
    const tries = [
      { method: "POST", body, headers: json, credentials: "include" },
      { method: "POST", body, headers: { "content-type": "text/plain" }, credentials: "include" },
      { method: "POST", body, mode: "no-cors", credentials: "include" },
      { method: "POST", body: new Blob([body], { type: "application/json" }), credentials: "include" },
      { method: "GET", credentials: "include" },
    ];
    const note = (response) => window.seen.push(response.type === "opaque" ? "refused" : "read " + response.status);
    const refused = () => window.seen.push("refused");
    const sessions = fetch(act.replace("/act", "/session"), { credentials: "include" }).then(note, refused);
    navigator.sendBeacon(act, body);
    try { navigator.sendBeacon(act, new Blob([body], { type: "application/json" })); } catch {}
    const events = new Promise((resolve) => {
      const source = new EventSource(act.replace("/act", "/events"), { withCredentials: true });
      source.onmessage = () => window.seen.push("read an event");
      source.onerror = () => { source.close(); refused(); resolve(); };
    });
    Promise.all([...tries.map((init) => fetch(act, init).then(note, refused)), sessions, events])
      .then(() => new Promise((resolve) => document.readyState === "complete" ? resolve() : addEventListener("load", resolve)))
      .then(() => { document.title = "done"; });
  `;
}

/** Job types named like attacks; their chains contain the attacks in every text. */
async function createHostileStage() {
  const clock = createVirtualClock();
  // Texts that the library refuses as names are still used in payloads.
  const names = corpus.filter((text) => !text.includes("\0"));
  const jobTypes = defineJobTypes(
    Object.fromEntries(names.map((name) => [name, { entry: true, input: anything, output: anything }])),
  );
  const limits = defineLimits({
    jobTypes,
    limits: {
      [corpus[0] ?? ""]: { keys: Object.fromEntries(names.map((name) => [name, () => name])), concurrency: 1 },
    },
  });
  const stateAdapter = createInProcessStateAdapter({ clock });
  const client = createClient({ stateAdapter, jobTypes, limits: [limits], clock, observers: [] });
  const payload = { text: corpus, ...Object.fromEntries(corpus.map((text) => [text, { [text]: text }])) };
  const half = Math.ceil(names.length / 2);
  const worker = createWorker({
    client,
    name: corpus[0] ?? "",
    processors: [
      createProcessors({
        client,
        jobTypes,
        processors: Object.fromEntries(
          names.map((name, index) => [
            name,
            async () => {
              if (index >= half) return payload;
              const error = new FatalError(name);
              error.stack = corpus.join("\n");
              throw Object.assign(error, { name });
            },
          ]),
        ),
      }),
    ],
  });
  await worker.start();
  const started = await client.startChains({ items: names.map((typeName) => ({ typeName, input: payload })) });
  await clock.advance(1_000);
  const cancelled = await client.startChains({
    items: names.map((typeName) => ({ typeName, input: payload, schedule: { afterMs: 3_600_000 } })),
  });
  await client.cancelChains({
    items: cancelled.slice(half).map(({ id }, index) => ({ id, reason: corpus[index] ?? "" })),
  });
  const hostile = names.map((name) => ({ id: name, typeName: name, input: payload, everyMs: 3_600_000 }));
  await client.applySchedules({ owner: corpus[0]?.slice(0, 200) ?? "", schedules: hostile });
  const dashboard = createDashboardAt({ client, authorize: () => ({ role: "admin", name: corpus[1] ?? "" }) }, clock);
  const server = await serve(dashboard);
  return {
    url: `${server.origin}/`,
    chainIds: [...started, ...cancelled.slice(half - 1, half + 2)].map(({ id }) => id),
    async close() {
      await server.close();
      await worker.stop();
      await client.close();
    },
  };
}

/** A schema that accepts every value. */
const anything = {
  "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) },
} as const;
