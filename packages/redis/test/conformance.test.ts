import { startRedis } from "@chainwright/backends";
import { describeOn, findBackend, testCases } from "@chainwright/backends/vitest";
import { notifyConformance } from "@chainwright/conformance";
import { afterAll } from "vitest";
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

for (const [name, open, at] of [
  ["node-redis", openNodeRedis, url],
  ["ioredis", openIoRedis, url],
  ["a node-redis cluster", openNodeRedisCluster, cluster?.url],
  ["an ioredis cluster", openIoRedisCluster, cluster?.url],
] as const) {
  describeOn(`notify port, on ${name}`, at, (server) => {
    testCases(notifyConformance({ createAdapter: () => openBackend(open, server) }));
  });
}
