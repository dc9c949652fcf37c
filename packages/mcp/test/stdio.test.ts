import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, it } from "vitest";
import { ask } from "./agent.ts";
import { fillShop } from "./shop.ts";
import { stores } from "./stores.ts";

const args = ["--conditions=@chainwright/source", fileURLToPath(new URL("../src/main.ts", import.meta.url))];
const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

/** Runs the program with messages, closes its input, and returns what it wrote. */
async function exchange(given: readonly string[], messages: readonly unknown[]) {
  const child = spawn(process.execPath, [...args, ...given], { stdio: "pipe", env: { PATH: process.env["PATH"] } });
  const out: string[] = [];
  const err: string[] = [];
  child.stdout.setEncoding("utf8").on("data", (text: string) => void out.push(text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => void err.push(text));
  child.stdin.end(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, out: out.join(""), err: err.join("") };
}

describe.each(stores)("the program on $name", ({ make, isMissing }) => {
  it.skipIf(isMissing)(
    "serves the SDK's client over standard input and output, and tells the audit its name",
    async () => {
      const store = await make();
      const shop = await fillShop(store.stateAdapter);
      const agent = new Client({ name: "desk agent", version: "1.0.0" });
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [...args, "--allow-writes", "--role", "operator", "--redact", "password"],
        env: { CHAINWRIGHT_STORE: store.url },
        stderr: "pipe",
      });
      const told: string[] = [];
      transport.stderr?.on("data", (text: Buffer) => void told.push(text.toString()));
      const faults: Error[] = [];
      Object.assign(agent, { onerror: (error: Error) => void faults.push(error) });
      await agent.connect(transport);
      expect((await agent.listTools()).tools.map(({ name }) => name)).not.toContain("start_chain");
      const chain = await ask(agent, "get_chain", { id: shop.good });
      expect(chain.value).toMatchObject({ status: "completed" });
      expect(chain.text).not.toContain("hush-hush");
      expect((await ask(agent, "cancel_chain", { id: shop.later, reason: "no" })).value).toMatchObject({
        cancelled: true,
      });
      await agent.close();
      expect(faults).toEqual([]);
      expect(told.join("")).toMatch(/"tool":"cancel_chain".*"client":"desk agent".*"outcome":"done"/);
      await shop.client.close();
      await store.close();
    },
  );

  it.skipIf(isMissing)("finishes the calls of an agent that closes in the middle, and ends", async () => {
    const store = await make();
    const shop = await fillShop(store.stateAdapter);
    const call = (id: number, name: string, given: unknown) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name, arguments: given },
    });
    const ran = await exchange(
      ["--store", store.url, "--allow-writes"],
      [
        initialize,
        call(2, "get_chain", { id: shop.good }),
        call(3, "cancel_chain", { id: shop.later, reason: "gone" }),
      ],
    );
    expect(ran.code, ran.err).toBe(0);
    const lines = ran.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { jsonrpc: string; id: number });
    expect(lines.map(({ jsonrpc }) => jsonrpc)).toEqual(lines.map(() => "2.0"));
    expect(new Set(lines.map(({ id }) => id))).toEqual(new Set([1, 2, 3]));
    expect(ran.err).toContain('"outcome":"done"');
    expect((await shop.client.getChain({ id: shop.later }))?.status).toBe("cancelled");
    await shop.client.close();
    await store.close();
  });
});

describe("the program", () => {
  it("writes nothing but the protocol to its output, and no password anywhere", async () => {
    const ran = await exchange(["--store", "postgres://app:s3cret-word@127.0.0.1:1/db"], [initialize]);
    expect(ran).toMatchObject({ code: 1, out: "" });
    expect(ran.err).not.toContain("s3cret-word");
    expect(ran.err.trim().split("\n")).toHaveLength(1);
    expect(await exchange(["--role", "viewer"], [])).toMatchObject({ code: 2, out: "" });
  });
});
