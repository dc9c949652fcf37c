import { startRedis } from "@chainwright/backends";
import { findBackend } from "@chainwright/backends/vitest";
import { notifyConformance } from "@chainwright/conformance";
import { afterAll, describe, test } from "vitest";
import { openBackend } from "./backend.ts";
import { openIoRedis, openIoRedisCluster, openNodeRedis, openNodeRedisCluster } from "./clients.ts";

const url = await findBackend("redis");
const cluster = url === undefined ? undefined : await startCluster();
afterAll(() => cluster?.stop());

/** A cluster of one node that has all slots. */
async function startCluster() {
  const server = await startRedis({ settings: { "cluster-enabled": "yes", "cluster-announce-ip": "127.0.0.1" } });
  const { send, close } = await openNodeRedis(server.url, "setup");
  await send("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
  while (!String(await send("CLUSTER", "INFO")).includes("cluster_state:ok"));
  await close();
  return server;
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
