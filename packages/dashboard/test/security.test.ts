import { ChainwrightError } from "chainwright";
import { describe, expect, it } from "vitest";
import { createDashboard } from "../src/create-dashboard.ts";
import type { DashboardOptions } from "../src/options.ts";
import { requestHeader, routes } from "../src/protocol/routes.ts";
import { createStage } from "./stage.ts";
import { failedOrder, textOf } from "./attack.ts";

describe("authorize", () => {
  it("is required, and unknown options are refused", async () => {
    const { client } = await createStage();
    const without: unknown = { client };
    expect(() => createDashboard(without as DashboardOptions)).toThrow("authorize must be a function");
    const misspelt = { client, authorize: () => null, basepath: "/jobs" };
    expect(() => createDashboard(misspelt)).toThrow(
      'createDashboard has no option "basepath"; its options are client,',
    );
  });

  it("comes with a client: a value that lacks one of a client's calls is refused", async () => {
    const { client } = await createStage();
    for (const broken of [undefined, null, {}, { ...client, explainJob: undefined }]) {
      const options: unknown = { client: broken, authorize: () => null };
      expect(() => createDashboard(options as DashboardOptions)).toThrow("client must be a value that createClient");
    }
  });

  it("is called first for every request: pages, files and unknown paths too", async () => {
    const stage = await createStage({ authorize: () => null });
    const paths = ["", "assets/index.js", "chains", "nowhere", ...Object.values(routes).map(({ path }) => path)];
    for (const path of paths) {
      expect((await stage.get(path)).status, path).toBe(401);
      expect((await stage.post(path, {})).status, path).toBe(401);
    }
  });

  it("may return a response of its own", async () => {
    const stage = await createStage({ authorize: () => Response.redirect("http://localhost/sign-in", 302) });
    expect((await stage.get("")).headers.get("location")).toBe("http://localhost/sign-in");
  });

  it("refuses the request when it throws, and only the log has the reason", async () => {
    const stage = await createStage({
      authorize: () => {
        throw new Error("select * from sessions");
      },
    });
    const response = await stage.get("-/session");
    const text = await textOf(response);
    expect(response.status).toBe(500);
    expect(text).not.toContain("sessions");
    expect(text).toContain(stage.failures[0]?.id);
  });
});

describe("requests of other sites", () => {
  const json = { "content-type": "application/json" };
  const own = { ...json, origin: "http://localhost", [requestHeader]: "1" };
  it.each([
    ["a form", { "content-type": "application/x-www-form-urlencoded", origin: "http://evil" }],
    ["a form that says text/plain", { ...own, "content-type": "text/plain" }],
    ["no content type", { origin: "http://localhost", [requestHeader]: "1" }],
    ["no header", { ...json, origin: "http://localhost" }],
    ["no origin", { ...json, [requestHeader]: "1" }],
    ["another origin", { ...own, origin: "http://evil" }],
    ["another port", { ...own, origin: "http://localhost:81" }],
    ["a subdomain", { ...own, origin: "http://a.localhost" }],
    ["an origin with a name before the host", { ...own, origin: "http://evil.example@localhost" }],
    [
      "the name that a framework wrote into the address, when the browser used another",
      { ...own, host: "shop.example.com" },
    ],
    ["an origin that is null", { ...own, origin: "null" }],
    ["an origin that is not a web page", { ...own, origin: "file://localhost" }],
    ["a cross-site fetch", { ...own, "sec-fetch-site": "cross-site" }],
    ["a same-site fetch", { ...own, "sec-fetch-site": "same-site" }],
    ["a navigation", { ...own, "sec-fetch-site": "none" }],
  ])("change nothing: %s", async (_what, headers) => {
    const stage = await createStage();
    const id = await failedOrder(stage);
    for (const path of ["-/act", "-/preview"]) {
      const init = { method: "POST", headers, body: JSON.stringify({ action: "retry", ids: [id] }) };
      const response = await stage.get(path, init);
      expect([403, 415]).toContain(response.status);
    }
    expect(await stage.client.getChain({ id })).toMatchObject({ status: "failed" });
    expect(stage.audited).toEqual([]);
  });

  it("pass if their origin is the host that the browser addressed, whatever the framework made of the address", async () => {
    const stage = await createStage();
    const id = await failedOrder(stage);
    const headers = { host: "shop.example.com", origin: "https://shop.example.com" };
    expect((await stage.post("-/act", { action: "retry", ids: [id] }, headers)).status).toBe(200);
  });

  it("are refused by a server that has `hosts`, before authorize, if they name another host", async () => {
    const asked: string[] = [];
    const stage = await createStage({
      hosts: ["jobs.example.com"],
      authorize: (request) => {
        asked.push(new URL(request.url).pathname);
        return { role: "admin" };
      },
    });
    for (const path of ["", "-/chains", "-/session"]) {
      expect((await stage.get(path, { headers: { host: "evil.example:3000" } })).status, path).toBe(421);
    }
    expect(asked).toEqual([]);
    expect((await stage.get("-/session", { headers: { host: "jobs.example.com" } })).status).toBe(200);
  });

  it("pass if they come from this origin", async () => {
    const stage = await createStage();
    const id = await failedOrder(stage);
    const init = { method: "POST", headers: own, body: JSON.stringify({ action: "retry", ids: [id] }) };
    expect((await stage.get("-/act", init)).status).toBe(200);
  });

  it("pass only from the origins that the application names", async () => {
    const stage = await createStage({ origins: ["https://jobs.example"] });
    const body = { action: "retry", ids: [crypto.randomUUID()] };
    expect((await stage.post("-/act", body, { origin: "https://jobs.example" })).status).toBe(200);
    expect((await stage.post("-/act", body, { origin: "http://localhost" })).status).toBe(403);
  });

  it.each(["cross-site", "same-site"])("read nothing: %s", async (site) => {
    const { get } = await createStage();
    expect((await get("-/overview", { headers: { "sec-fetch-site": site } })).status).toBe(403);
  });

  it.each(["PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"])("refuses %s and returns no CORS headers", async (method) => {
    const { get } = await createStage();
    for (const path of ["-/act", "-/overview", "-/events"]) {
      const response = await get(path, { method, headers: { origin: "http://evil" } });
      expect(response.status).toBe(405);
      expect([...response.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
  });

  it("no GET changes anything", async () => {
    const stage = await createStage();
    const posts = Object.values(routes).filter(({ method }) => method === "POST");
    for (const { path } of posts) expect((await stage.get(path)).status, path).toBe(405);
  });
});

describe("headers", () => {
  it("are strict on every response", async () => {
    const { get } = await createStage();
    for (const path of ["", "-/session", "-/nowhere", "-/chain", "assets/nothing.js"]) {
      const { headers } = await get(path);
      expect(headers.get("content-security-policy")).toMatch(
        /^default-src 'none'; script-src 'self';.*frame-ancestors 'none'$/,
      );
      expect(headers.get("content-security-policy")).not.toMatch(/unsafe|https?:/);
      expect(Object.fromEntries(headers)).toMatchObject({
        "x-content-type-options": "nosniff",
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
        "cross-origin-resource-policy": "same-origin",
      });
    }
  });
});

describe("base path", () => {
  it.each(["/jobs", "/jobs/", "/admin/jobs"])(
    "is removed from %s, and may have been removed already",
    async (basePath) => {
      const { get } = await createStage({ basePath });
      expect((await get(`${basePath.slice(1).replace(/\/$/, "")}/-/session`)).status).toBe(200);
      expect((await get("-/session")).status).toBe(200);
    },
  );

  it.each(["jobs", "/a b", "/../x", "/./x", "//evil", '/"><script>', "/-/x", "/assets", "/a?b", "/a#b"])(
    "is refused if invalid: %s",
    async (basePath) => {
      await expect(createStage({ basePath })).rejects.toThrow(ChainwrightError);
    },
  );
});

describe("an internal failure", () => {
  it("shows an id to the browser and writes the details to the log", async () => {
    const stage = await createStage();
    const broken = {
      ...stage.client,
      countAllJobs: async () => await Promise.reject(new Error('relation "chainwright.open_job" does not exist')),
    };
    const failures: unknown[] = [];
    const dashboard = createDashboard({
      client: broken,
      authorize: () => ({ role: "viewer" }),
      onError: (failure) => void failures.push(failure),
    });
    const response = await dashboard.fetch(new Request("http://localhost/-/overview"));
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(text).not.toMatch(/relation|open_job|at .*\.ts/);
    expect(failures).toMatchObject([{ method: "GET", path: "/-/overview", id: expect.any(String) }]);
  });
});
