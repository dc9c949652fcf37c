import { ChainwrightError } from "chainwright";
import { describe, expect, it } from "vitest";
import { createDashboard } from "../src/create-dashboard.ts";
import type { DashboardOptions, Redactable } from "../src/options.ts";
import type { ChainsResponse } from "../src/protocol/reads.ts";
import { requestHeader, routes } from "../src/protocol/routes.ts";
import { redactKeys } from "../src/redact-keys.ts";
import { createStage } from "./stage.ts";
import { failedOrder, textOf } from "./attack.ts";

const secret = "4000-0000-0000-0002";

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

describe("redact", () => {
  it("is applied to everything that is sent: payloads, errors, stacks, groups, lists, previews", async () => {
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

  it("hides the whole value when it throws", async () => {
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

  it("prevents finding an error by a hidden text", async () => {
    const stage = await createStage({ redact: (value, { part }) => (part === "error" ? "hidden" : value) });
    await failedOrder(stage);
    const response = await stage.get(`-/chains?errorText=${secret}`);
    expect(await response.json()).toMatchObject({ items: [] });
  });

  it.each(["errorText=4000-0000", "errorText=4000-0000&status=failed", "key=card-1", "tag=card%3D4000"])(
    "gives no cursor away by %s, which matches what is hidden only",
    async (filter) => {
      const redact = (value: unknown, { part }: { readonly part: string }) =>
        ["error", "tags", "deduplicationKey"].includes(part) ? "hidden" : value;
      const stage = await createStage({ redact });
      for (let order = 0; order < 3; order += 1) {
        await stage.client.startChain({
          typeName: "order.place",
          input: { orderId: `${order}`, cents: 0 },
          tags: { card: "4000" },
          deduplication: { key: "card-1" },
        });
        await stage.work();
      }
      const page = async (query: string) => {
        const { items, nextCursor } = (await (await stage.get(`-/chains?limit=1&${query}`)).json()) as ChainsResponse;
        return { items, nextCursor };
      };
      const wrong = filter.replace(/4000|card-1/, "none");
      expect(await page(filter)).toEqual(await page(wrong));
    },
  );

  it("leaves what is shown to be found by its text, page by page", async () => {
    const redact = (value: unknown, { part, principal }: Redactable) =>
      part === "error" && principal.role === "viewer" ? "hidden" : value;
    const stage = await createStage({ redact });
    const ids: string[] = [];
    for (let order = 0; order < 3; order += 1) ids.unshift(await failedOrder(stage));
    const found: string[] = [];
    let cursor: string | undefined = "";
    while (cursor !== undefined) {
      const after: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const response = await stage.get(`-/chains?limit=1&errorText=declined${after}`);
      const page = (await response.json()) as ChainsResponse;
      found.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(found).toEqual(ids);
    const viewer = await stage.get("-/chains?errorText=declined", { headers: { "x-test-role": "viewer" } });
    expect(await viewer.json()).toMatchObject({ items: [] });
  });

  it("by keys hides their values at any depth, in upper and lower case", () => {
    const redact = redactKeys(["password", /token$/i]);
    const value = { Password: "a", list: [{ accessToken: "b", kept: 1 }], tokens: 2 };
    expect(redact(value, { part: "input", typeName: "a", chainId: "b", principal: { role: "viewer" } })).toEqual({
      Password: "[redacted]",
      list: [{ accessToken: "[redacted]", kept: 1 }],
      tokens: 2,
    });
  });
});

describe("an internal failure", () => {
  it("shows an id to the browser and writes the details to the log", async () => {
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
