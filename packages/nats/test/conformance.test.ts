import { connect } from "@nats-io/transport-node";
import { describeOn, findBackend, testCases } from "@chainwright/backends/vitest";
import { notifyConformance } from "@chainwright/conformance";
import { describe, expect, it } from "vitest";
import { createNatsNotifyAdapter } from "../src/index.ts";
import { openBackend } from "./backend.ts";

const url = await findBackend("nats");

describeOn("notify port, on NATS", url, (server) => {
  testCases(notifyConformance({ createAdapter: () => openBackend(server) }));
});

describe.skipIf(url === undefined)("the NATS adapter", () => {
  it.each(["", "a b", "a.*", ">", "a..b", ".a", "a."])("refuses %j as a prefix", async (subjectPrefix) => {
    const connection = await connect({ servers: url ?? "" });
    expect(() => createNatsNotifyAdapter({ connection, subjectPrefix })).toThrow("subjectPrefix");
    await connection.close();
  });

  it("leaves the application's connection open", async () => {
    const connection = await connect({ servers: url ?? "" });
    const adapter = createNatsNotifyAdapter({ connection });
    await adapter.subscribe({ onMessage() {}, onLost() {}, onRestored() {} });
    await adapter.close();
    await connection.flush();
    expect(connection.isClosed()).toBe(false);
    await connection.close();
  });
});
