import { randomUUID } from "node:crypto";
import { startRedis } from "@chainwright/backends";
import { findBackend } from "@chainwright/backends/vitest";
import { notifyConformance } from "chainwright/conformance";
import type { NotifyBackend } from "chainwright/conformance";
import { afterAll, describe, test } from "vitest";
import { createRedisNotifyAdapter } from "../src/index.ts";
import { openIoRedis, openIoRedisCluster, openNodeRedis, openNodeRedisCluster } from "./clients.ts";
import type { OpenClient, OpenedClient } from "./clients.ts";

const url = await findBackend("redis");
const cluster = url === undefined ? undefined : await startCluster();
afterAll(() => cluster?.stop());

/** One node that has all slots. */
async function startCluster() {
  const server = await startRedis({ settings: { "cluster-enabled": "yes", "cluster-announce-ip": "127.0.0.1" } });
  const { send, close } = await openNodeRedis(server.url, "setup");
  await send("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
  while (!String(await send("CLUSTER", "INFO")).includes("cluster_state:ok"));
  await close();
  return server;
}

async function openBackend(open: OpenClient, at: string): Promise<NotifyBackend> {
  const name = randomUUID();
  const clients: OpenedClient[] = [];
  const connect = async (channelPrefix = name) => {
    const client = await open(at, name);
    clients.push(client);
    return createRedisNotifyAdapter({ driver: client.driver, channelPrefix });
  };
  const adapter = await connect();
  const send: OpenedClient["send"] = (...command) =>
    clients[0]?.send(...command) ?? Promise.reject(new Error("closed"));
  return {
    adapter,
    connect,
    elsewhere: () => connect(`${name}-elsewhere`),
    say: async (text) => void (await send("PUBLISH", `${name}:hints`, text)),
    async breakLinks() {
      const lines = String(await send("CLIENT", "LIST")).split("\n");
      const listening = lines.filter((line) => line.includes(name) && / sub=[1-9]/.test(line));
      for (const line of listening) await send("CLIENT", "KILL", "ID", /id=(\d+)/.exec(line)?.[1] ?? "");
    },
    async close() {
      for (const client of clients) await client.close();
    },
  };
}

describe.each([
  ["node-redis", openNodeRedis, url],
  ["ioredis", openIoRedis, url],
  ["a node-redis cluster", openNodeRedisCluster, cluster?.url],
  ["an ioredis cluster", openIoRedisCluster, cluster?.url],
] as const)("notify port, on %s", (_name, open, at) => {
  const cases = notifyConformance({ createAdapter: () => openBackend(open, at ?? "") });
  for (const { name, skipped, run } of cases) test.skipIf(at === undefined || skipped !== undefined)(name, run);
});
