import { playEveryFate } from "@chainwright/backends/notify-workload";
import { findBackend } from "@chainwright/backends/vitest";
import { describe, expect, it } from "vitest";
import { createPostgresNotifyAdapter } from "../src/index.ts";
import { openPg, openPostgresJs } from "./notify-clients.ts";

const url = await findBackend("postgres");

describe.skipIf(url === undefined).concurrent.each([
  ["pg", openPg],
  ["postgres.js", openPostgresJs],
] as const)("on %s", (_name, open) => {
  it("processes a workload completely even if notifications are lost", { timeout: 60_000 }, async () => {
    const [real = [], ...others] = await playEveryFate(async (channelPrefix) => {
      const { driver, close } = await open(url ?? "", "workload");
      return { adapter: createPostgresNotifyAdapter({ driver, channelPrefix }), close };
    });
    expect(new Set(real.map((chain) => JSON.stringify(chain))).size).toBeGreaterThan(20);
    for (const other of others) expect(other).toEqual(real);
  });
});
