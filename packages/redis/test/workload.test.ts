import { playEveryFate } from "@chainwright/backends/notify-workload";
import { findBackend } from "@chainwright/backends/vitest";
import { describe, expect, it } from "vitest";
import { createRedisNotifyAdapter } from "../src/index.ts";
import { openIoRedis, openNodeRedis } from "./clients.ts";

const url = await findBackend("redis");

describe.skipIf(url === undefined).concurrent.each([
  ["node-redis", openNodeRedis],
  ["ioredis", openIoRedis],
] as const)("on %s", (_name, open) => {
  it("a workload has the same result for every fate of its notifications", { timeout: 60_000 }, async () => {
    const [real = [], ...others] = await playEveryFate(async (channelPrefix) => {
      const { driver, close } = await open(url ?? "", "workload");
      return { adapter: createRedisNotifyAdapter({ driver, channelPrefix }), close };
    });
    expect(new Set(real.map((chain) => JSON.stringify(chain))).size).toBeGreaterThan(20);
    for (const other of others) expect(other).toEqual(real);
  });
});
