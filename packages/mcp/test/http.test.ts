import type { Principal } from "@chainwright/dashboard";
import { createClient, createInProcessStateAdapter, defineJobTypes } from "chainwright";
import { describe, expect, it } from "vitest";
import { createMcpServer } from "../src/create-mcp-server.ts";
import type { McpHttpOptions } from "../src/options.ts";

const jobTypes = defineJobTypes<{ a: { entry: true; input: null; output: null } }>();
const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes, observers: [] });
const admin: Principal = { role: "admin" };
const ping = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };

async function send(
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  options: Partial<McpHttpOptions> = {},
): Promise<Response> {
  const serve = createMcpServer({ client, onError: () => undefined }).fetch({ authorize: () => admin, ...options });
  return await serve(
    new Request("http://jobs.example/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    }),
  );
}

describe("over HTTP", () => {
  it("serves one message in each request, without a session", async () => {
    const response = await send(ping);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      id: 1,
      result: { tools: [{ name: "list_chains" }, {}, {}, {}, {}, {}] },
    });
  });

  it.each([
    [401, "no one", ping, {}, { authorize: () => null }],
    [302, "a response of the application", ping, {}, { authorize: () => Response.redirect("http://a.example/", 302) }],
    [403, "a page of another origin", ping, { origin: "http://evil.example" }, {}],
    [421, "another host", ping, { host: "evil.example" }, { hosts: ["jobs.example"] }],
    [400, "a batch", [ping, ping], {}, {}],
    [400, "no JSON", "{", {}, {}],
    [400, "a deep body", "[".repeat(200), {}, {}],
    [413, "a large body", " ".repeat(1_100_000), {}, {}],
    [415, "a form", ping, { "content-type": "text/plain" }, {}],
    [500, "a misspelt role", ping, {}, { authorize: () => JSON.parse('{"role":"root"}') as Principal }],
  ])("refuses with %i: %s", async (...[status, , body, headers, options]) => {
    const response = await send(body, headers, options);
    expect(response.status).toBe(status);
    expect(await response.text()).not.toContain("root");
  });

  it("refuses other methods", async () => {
    const serve = createMcpServer({ client }).fetch({ authorize: () => admin });
    expect((await serve(new Request("http://jobs.example/mcp"))).status).toBe(405);
  });

  it("refuses invalid options", () => {
    expect(() => createMcpServer({ client, writesPerMinute: 0 })).toThrow("writesPerMinute");
    expect(() => createMcpServer({ client: JSON.parse("{}") as typeof client })).toThrow("client must be");
  });
});
