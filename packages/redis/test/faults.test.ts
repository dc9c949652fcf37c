import { startRedis } from "@chainwright/backends";
import { notifyFaultCases } from "@chainwright/backends/notify-faults";
import { findBackend } from "@chainwright/backends/vitest";
import { describe, it } from "vitest";
import { createRedisNotifyAdapter } from "../src/index.ts";
import { openIoRedis, openNodeRedis } from "./clients.ts";

const isMissing = (await findBackend("redis")) === undefined;

describe.skipIf(isMissing).concurrent.each([
  ["node-redis", openNodeRedis],
  ["ioredis", openIoRedis],
] as const)("on %s", (_name, open) => {
  const cases = notifyFaultCases({
    start: () => startRedis(),
    async open(url) {
      const { driver, close } = await open(url, "faults");
      return { adapter: createRedisNotifyAdapter({ driver }), close };
    },
  });
  for (const { name, run } of cases) it(name, { timeout: 300_000 }, run);
});
