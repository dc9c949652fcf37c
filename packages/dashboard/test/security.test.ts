import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDashboard } from "../src/create-dashboard.ts";
import type { DashboardOptions } from "../src/options.ts";
import { requestHeader, routes } from "../src/protocol/routes.ts";
import { redactKeys } from "../src/redact-keys.ts";
import { createStage, type Stage } from "./stage.ts";

const secret = "4000-0000-0000-0002";

/** All that a stranger could learn from: status, headers and body. */
async function textOf(response: Response): Promise<string> {
  return `${response.status} ${JSON.stringify([...response.headers])} ${await response.text()}`;
}

async function failedOrder(stage: Stage): Promise<string> {
  const { id } = await stage.order("1", 0);
  await stage.work();
  return id;
}

describe("authorize", () => {
  it("is required, and unknown options are refused", async () => {
    const { client } = await createStage();
    const without: unknown = { client };
    expect(() => createDashboard(without as DashboardOptions)).toThrow("authorize is required");
    const misspelt = { client, authorize: () => null, basepath: "/jobs" };
    expect(() => createDashboard(misspelt)).toThrow("basepath");
  });

  it("is asked before everything else, pages, files and unknown paths too", async () => {
    const stage = await createStage({ authorize: () => null });
    const paths = ["", "assets/index.js", "chains", "nowhere", ...Object.values(routes).map(({ path }) => path)];
    for (const path of paths) {
      expect((await stage.get(path)).status, path).toBe(401);
      expect((await stage.post(path, {})).status, path).toBe(401);
    }
  });

  it("may answer by itself", async () => {
    const stage = await createStage({ authorize: () => Response.redirect("http://localhost/sign-in", 302) });
    expect((await stage.get("")).headers.get("location")).toBe("http://localhost/sign-in");
  });

  it("lets nobody in when it fails, and tells the log alone why", async () => {
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
    ["an origin that is null", { ...own, origin: "null" }],
    ["an origin of no web page", { ...own, origin: "file://localhost" }],
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

  it("pass when they come from this origin", async () => {
    const stage = await createStage();
    const id = await failedOrder(stage);
    const init = { method: "POST", headers: own, body: JSON.stringify({ action: "retry", ids: [id] }) };
    expect((await stage.get("-/act", init)).status).toBe(200);
  });

  it("pass from the origins that the application names, and no other", async () => {
    const stage = await createStage({ origins: ["https://jobs.example"] });
    const body = { action: "retry", ids: [crypto.randomUUID()] };
    expect((await stage.post("-/act", body, { origin: "https://jobs.example" })).status).toBe(200);
    expect((await stage.post("-/act", body, { origin: "http://localhost" })).status).toBe(403);
  });

  it.each(["cross-site", "same-site"])("read nothing: %s", async (site) => {
    const { get } = await createStage();
    expect((await get("-/overview", { headers: { "sec-fetch-site": site } })).status).toBe(403);
  });

  it.each(["PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"])(
    "no %s is answered, nor anything said of sharing",
    async (method) => {
      const { get } = await createStage();
      for (const path of ["-/act", "-/overview", "-/events"]) {
        const response = await get(path, { method, headers: { origin: "http://evil" } });
        expect(response.status).toBe(405);
        expect([...response.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
      }
    },
  );

  it("no GET changes anything", async () => {
    const stage = await createStage();
    const posts = Object.values(routes).filter(({ method }) => method === "POST");
    for (const { path } of posts) expect((await stage.get(path)).status, path).toBe(405);
  });
});

describe("headers", () => {
  it("are strict on every answer", async () => {
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
    "is taken off %s, or may have been taken off already",
    async (basePath) => {
      const { get } = await createStage({ basePath });
      expect((await get(`${basePath.slice(1).replace(/\/$/, "")}/-/session`)).status).toBe(200);
      expect((await get("-/session")).status).toBe(200);
    },
  );

  it.each(["jobs", "/a b", "/../x", "/./x", "//evil", '/"><script>', "/-/x", "/assets", "/a?b", "/a#b"])(
    "is refused where it is none: %s",
    async (basePath) => {
      await expect(createStage({ basePath })).rejects.toThrow(TypeError);
    },
  );
});

describe("redact", () => {
  it("runs before anything leaves: payloads, errors, stacks, groups, lists, previews", async () => {
    const stage = await createStage({
      redact: (value) => JSON.parse((JSON.stringify(value) ?? "null").replaceAll(secret, "[redacted]")) as unknown,
    });
    const id = await failedOrder(stage);
    await stage.order("2");
    await stage.work();
    const { items } = await stage.client.listJobs();
    const chains = await stage.client.listChains();
    const paths = [
      "-/chains",
      "-/failed",
      "-/overview",
      ...chains.items.flatMap((chain) => [
        `-/chain?id=${chain.id}`,
        `-/steps?id=${chain.id}`,
        `-/dependents?id=${chain.id}`,
      ]),
      ...items.flatMap((job) => [`-/job?id=${job.id}`, `-/blockers?id=${job.id}`]),
    ];
    for (const path of paths) expect(await textOf(await stage.get(path)), path).not.toContain(secret);
    const preview = await stage.post("-/preview", {
      action: "retry",
      ids: [id],
      edit: [{ op: "add", path: "/note", value: 1 }],
    });
    expect(await textOf(preview)).not.toContain(secret);
    expect(await textOf(await stage.get(`-/chain?id=${id}`))).toContain("[redacted]");
  });

  it("hides the whole value when it fails", async () => {
    const stage = await createStage({
      redact: () => {
        throw new Error("no");
      },
    });
    const id = await failedOrder(stage);
    const text = await textOf(await stage.get(`-/chain?id=${id}`));
    expect(text).not.toContain(secret);
    expect(text).not.toContain("FatalError");
    expect(stage.failures.length).toBeGreaterThan(0);
  });

  it("finds no error by a text that it hides", async () => {
    const stage = await createStage({ redact: (value, { part }) => (part === "error" ? "hidden" : value) });
    await failedOrder(stage);
    const response = await stage.get(`-/chains?errorText=${secret}`);
    expect(await response.json()).toMatchObject({ items: [] });
  });

  it("by keys hides them at any depth, whatever their case", () => {
    const redact = redactKeys(["password", /token$/i]);
    const value = { Password: "a", list: [{ accessToken: "b", kept: 1 }], tokens: 2 };
    expect(redact(value, { part: "input", typeName: "a", chainId: "b" })).toEqual({
      Password: "[redacted]",
      list: [{ accessToken: "[redacted]", kept: 1 }],
      tokens: 2,
    });
  });
});

describe("what goes wrong inside", () => {
  it("is an id outside, and the detail is for the log", async () => {
    const stage = await createStage();
    const broken = {
      ...stage.client,
      countJobs: async () => await Promise.reject(new Error('relation "chainwright.open_job" does not exist')),
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

describe("fuzzed", () => {
  const role = fc.constantFrom("viewer", "operator", "admin", "x", "");
  const part = fc.oneof(
    fc.constantFrom("-", "..", "assets", "act", "chain", "%2e%2e", "%00", "index.html", "<script>"),
    fc.string(),
  );
  const query = fc.dictionary(
    fc.constantFrom("id", "cursor", "typeName", "status", "from", "until", "limit", "errorText", "chain", "__proto__"),
    fc.oneof(
      fc.string(),
      fc.uuid(),
      fc.constantFrom("-1", "1e309", "9".repeat(40), "'; drop table job --", "\u0000", "\ud800"),
    ),
  );
  const header = fc.tuple(
    fc.constantFrom(
      "origin",
      "sec-fetch-site",
      "content-type",
      "accept",
      "range",
      "x-forwarded-host",
      "x-http-method-override",
    ),
    fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCodePoint(code)) }),
  );

  it("paths, queries, headers and bodies crash nothing, leak nothing and change nothing", async () => {
    const stage = await createStage();
    const id = await failedOrder(stage);
    const path = fc.oneof(
      fc.constantFrom(...Object.values(routes).map((route) => route.path)),
      fc.array(part, { maxLength: 4 }).map((parts) => parts.join("/")),
    );
    const method = fc.constantFrom("GET", "POST", "PUT", "DELETE", "HEAD");
    const request = fc.record({
      path,
      query,
      method,
      headers: fc.array(header, { maxLength: 3 }),
      role,
      body: fc.json(),
    });
    await fc.assert(
      fc.asyncProperty(request, async (made) => {
        const url = new URL(`http://localhost/${made.path.replaceAll(/[?#]/g, "")}`);
        for (const [name, value] of Object.entries(made.query)) url.searchParams.set(name, value);
        url.host = "localhost";
        const headers = new Headers({ "x-test-role": made.role });
        for (const [name, value] of made.headers) headers.set(name, value);
        const hasBody = made.method !== "GET" && made.method !== "HEAD";
        const response = await stage.dashboard.fetch(
          new Request(url, { method: made.method, headers, ...(hasBody ? { body: made.body } : {}) }),
        );
        const text = response.headers.get("content-type")?.startsWith("text/event-stream")
          ? await response.body?.cancel()
          : await textOf(response);
        // A role that is none is a mistake of the application's, and answered so.
        const isKnownRole = ["viewer", "operator", "admin"].includes(made.role);
        expect(response.status === 500).toBe(!isKnownRole);
        expect(text ?? "").not.toMatch(/node_modules|\.ts:\d|select .* from/);
      }),
      { numRuns: 500, seed: 11 },
    );
    expect(await stage.client.getChain({ id })).toMatchObject({ status: "failed" });
    expect(stage.audited).toEqual([]);
  });
});
