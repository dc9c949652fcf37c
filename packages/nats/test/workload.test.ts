import { connect } from "@nats-io/transport-node";
import { playEveryFate } from "@chainwright/backends/notify-workload";
import { findBackend } from "@chainwright/backends/vitest";
import { describe, expect, it } from "vitest";
import { createNatsNotifyAdapter } from "../src/index.ts";

const url = await findBackend("nats");

describe.skipIf(url === undefined)("on NATS", () => {
  it("a workload has the same result for every fate of its notifications", { timeout: 60_000 }, async () => {
    const [real = [], ...others] = await playEveryFate(async (subjectPrefix) => {
      const connection = await connect({ servers: url ?? "" });
      return { adapter: createNatsNotifyAdapter({ connection, subjectPrefix }), close: () => connection.close() };
    });
    expect(new Set(real.map((chain) => JSON.stringify(chain))).size).toBeGreaterThan(20);
    for (const other of others) expect(other).toEqual(real);
  });
});
