import { createClient, createInProcessStateAdapter, defineJobTypes } from "chainwright";
import { expect, it, onTestFinished } from "vitest";
import { createMcpServer } from "../src/create-mcp-server.ts";
import type { McpAuditEntry } from "../src/options.ts";

const jobTypes = defineJobTypes<{ a: { entry: true; input: null; output: null } }>();
const start = { name: "start_chain", arguments: { type: "a", input: null, idempotencyKey: "once" } };

it("a change whose agent hangs up is made once, and the audit is told of it", async () => {
  const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes, observers: [] });
  onTestFinished(client.close);
  const entered = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const slow = Object.assign({}, client, {
    startChains: async (options: never) => {
      entered.resolve();
      await gate.promise;
      return await client.startChains(options);
    },
  });
  const audited: McpAuditEntry[] = [];
  const mcp = createMcpServer({ client: slow, allowWrites: true, audit: (entry) => void audited.push(entry) });
  const serve = mcp.fetch({ authorize: () => ({ role: "admin", name: "Ada" }) });
  const hangUp = new AbortController();
  const call = async (signal?: AbortSignal): Promise<Response> =>
    await serve(
      new Request("http://jobs.example/mcp", {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: start }),
        ...(signal !== undefined && { signal }),
      }),
    );
  const left = call(hangUp.signal).catch(() => undefined);
  await entered.promise;
  hangUp.abort();
  gate.resolve();
  await left;
  expect((await call()).status).toBe(200);
  expect((await client.listChains()).items).toHaveLength(1);
  expect(audited.map(({ outcome, name }) => [outcome, name])).toEqual([
    ["done", "Ada"],
    ["done", "Ada"],
  ]);
});
