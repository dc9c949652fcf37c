import { randomUUID } from "node:crypto";
import { connect } from "@nats-io/transport-node";
import type { NatsConnection } from "@nats-io/transport-node";
import { findBackend } from "@chainwright/backends/vitest";
import { notifyConformance } from "chainwright/conformance";
import type { NotifyBackend } from "chainwright/conformance";
import { describe, expect, it, test } from "vitest";
import { createNatsNotifyAdapter } from "../src/index.ts";

const url = await findBackend("nats");

async function openBackend(): Promise<NotifyBackend> {
  const name = randomUUID();
  const connections: NatsConnection[] = [];
  const open = async () => {
    const connection = await connect({ servers: url ?? "", reconnectTimeWait: 50, maxReconnectAttempts: -1 });
    connections.push(connection);
    return connection;
  };
  const connectAdapter = async (subjectPrefix = name) =>
    createNatsNotifyAdapter({ connection: await open(), subjectPrefix });
  const adapter = await connectAdapter();
  const [first] = connections;
  return {
    adapter,
    connect: connectAdapter,
    elsewhere: () => connectAdapter(`${name}-elsewhere`),
    async say(text) {
      first?.publish(`${name}.hints`, text);
      await first?.flush();
    },
    // The adapter under test is the first; the connections of others serve as well.
    breakLinks: async () => first?.reconnect(),
    async close() {
      for (const connection of connections) await connection.close();
    },
  };
}

describe.skipIf(url === undefined)("notify port, on NATS", () => {
  for (const { name, skipped, run } of notifyConformance({ createAdapter: openBackend })) {
    test.skipIf(skipped !== undefined)(name, run);
  }
});

describe.skipIf(url === undefined)("the NATS adapter", () => {
  it.each(["", "a b", "a.*", ">", "a..b", ".a", "a."])("refuses %j as a prefix", async (subjectPrefix) => {
    const connection = await connect({ servers: url ?? "" });
    expect(() => createNatsNotifyAdapter({ connection, subjectPrefix })).toThrow("subjectPrefix");
    await connection.close();
  });

  it("leaves the connection open, which is the application's", async () => {
    const connection = await connect({ servers: url ?? "" });
    const adapter = createNatsNotifyAdapter({ connection });
    await adapter.subscribe({ onMessage() {}, onLost() {}, onRestored() {} });
    await adapter.close();
    await connection.flush();
    expect(connection.isClosed()).toBe(false);
    await connection.close();
  });
});
