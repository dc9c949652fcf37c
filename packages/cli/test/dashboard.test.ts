import { request as httpRequest, type IncomingMessage } from "node:http";
import { createClient, createInProcessStateAdapter, defineJobTypes } from "chainwright";
import { describe, expect, it } from "vitest";
import { serveDashboard } from "../src/serve/serve-dashboard.ts";
import { cli, type Ran } from "./cli.ts";
import { fillShop } from "./shop.ts";
import { stores } from "./stores.ts";

const jobTypes = defineJobTypes<{ "mail.send": { entry: true; input: { to: string }; output: null } }>();
const createStage = () => ({ client: createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes }) });

/** Runs the dashboard until `use` has finished with the printed link. */
async function dashboard(args: readonly string[], use: (link: URL) => Promise<void>): Promise<Ran> {
  const printed: string[] = [];
  return await cli(args, {
    onPrint: (text) => void printed.push(text),
    untilStopped: async () => await use(new URL(printed.join("").trim())),
  });
}

/** Opens a link like a browser, and returns the received cookie. */
async function signIn(link: URL | string): Promise<string> {
  const response = await fetch(link, { redirect: "manual" });
  expect(response.status).toBe(303);
  expect(response.headers.get("set-cookie")).toMatch(/; HttpOnly; SameSite=Strict$/);
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
}

/** Sends a request exactly as written; a browser would normalise it. */
function raw(port: number, path: string, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: "127.0.0.1", port, path, headers }, (response: IncomingMessage) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode));
    });
    request.once("error", reject);
    request.end();
  });
}

describe.each(stores)("the dashboard of $name", ({ make, isMissing }) => {
  it.skipIf(isMissing)("is served with a role and without redacted values, until the program is stopped", async () => {
    const store = await make();
    const shop = await fillShop(store);
    const args = ["--store", store.url, "dashboard", "--role", "viewer", "--redact", "password"];
    const { code, err } = await dashboard(args, async (link) => {
      const headers = { cookie: await signIn(link) };
      const read = async (path: string): Promise<unknown> =>
        await (await fetch(new URL(path, link), { headers })).json();
      expect(await read("/-/session")).toMatchObject({ role: "viewer" });
      expect(await read(`/-/job?id=${shop.sent.id}`)).toMatchObject({
        job: { input: { value: { password: "[redacted]" } } },
      });
    });
    expect(code, err).toBe(0);
    await shop.client.close();
    await store.close();
  });
});

describe("the dashboard", () => {
  it.each([
    ["no store", [], "name a store"],
    ["a missing file", ["--store", "sqlite:/nowhere/jobs.db"], "there is no file"],
    ["an invalid port", ["--store", "sqlite:a", "--port", "-1"], "--port"],
    ["an unknown role", ["--store", "sqlite:a", "--role", "root"], "--role"],
    ["an unknown option", ["--host", "0.0.0.0"], "--host"],
  ])("explains the error for %s", async (_what, args, sentence) => {
    const { code, err } = await dashboard(["dashboard", ...args], async () => expect.unreachable());
    expect(code).toBeGreaterThan(0);
    expect(err).toContain(sentence);
  });
});

describe("served on loopback", () => {
  it("requires the link, and the link works once", async () => {
    const { client } = createStage();
    const served = await serveDashboard({ client, port: 0, role: "admin" });
    const at = (path: string) => `http://127.0.0.1:${served.port}${path}`;
    for (const path of ["/", "/-/session", "/assets/a.js"]) expect((await fetch(at(path))).status).toBe(401);
    expect((await fetch(at("/?sign-in=guessed"))).status).toBe(403);
    const cookie = await signIn(served.link);
    expect((await fetch(served.link)).status).toBe(403);
    expect((await fetch(at("/-/session"), { headers: { cookie } })).status).toBe(200);
    expect((await fetch(at("/-/session"), { headers: { cookie: `${cookie}x` } })).status).toBe(401);
    await served.close();
  });

  it("refuses every other host name, so a foreign page cannot rebind its name to it", async () => {
    const { client } = createStage();
    const served = await serveDashboard({ client, port: 0, role: "admin" });
    const { port } = served;
    const cookie = await signIn(served.link);
    for (const host of [
      "evil.example",
      `evil.example:${port}`,
      "127.0.0.1",
      `127.0.0.1:${port}.evil`,
      `[::]:${port}`,
    ]) {
      expect([400, 421], host).toContain(await raw(port, "/-/session", { host, cookie }));
    }
    expect(await raw(port, "/-/session", { host: `localhost:${port}`, cookie })).toBe(200);
    await served.close();
  });

  it("ends while streams are open", async () => {
    const { client } = createStage();
    const served = await serveDashboard({ client, port: 0, role: "admin" });
    const cookie = await signIn(served.link);
    const response = await fetch(`http://127.0.0.1:${served.port}/-/events`, { headers: { cookie } });
    await served.close();
    await expect(response.text()).rejects.toThrow(TypeError);
  });
});
