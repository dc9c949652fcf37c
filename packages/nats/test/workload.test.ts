import { randomUUID } from "node:crypto";
import { connect } from "@nats-io/transport-node";
import { fates, playWorkload } from "@chainwright/backends/notify-workload";
import { findBackend } from "@chainwright/backends/vitest";
import { describe, expect, it } from "vitest";
import { createNatsNotifyAdapter } from "../src/index.ts";

const url = await findBackend("nats");

describe.skipIf(url === undefined)("on NATS", () => {
  it("one workload ends the same whatever becomes of its notifications", { timeout: 60_000 }, async () => {
    const play = (fate: (typeof fates)[number]) => {
      const subjectPrefix = `w-${randomUUID()}`;
      return playWorkload(async () => {
        const connection = await connect({ servers: url ?? "" });
        return { adapter: createNatsNotifyAdapter({ connection, subjectPrefix }), close: () => connection.close() };
      }, fate);
    };
    const real = await play("real");
    expect(new Set(real.map((chain) => JSON.stringify(chain))).size).toBeGreaterThan(20);
    for (const fate of fates) expect(await play(fate)).toEqual(real);
  });
});
