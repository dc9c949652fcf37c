import { randomUUID } from "node:crypto";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import type { NotifyBackend } from "@chainwright/conformance";
import { createNatsNotifyAdapter } from "../src/index.ts";

/** Opens adapters on a new subject of a NATS server, each with a connection of its own. */
export async function openBackend(url: string): Promise<NotifyBackend> {
  const name = randomUUID();
  const connections: NatsConnection[] = [];
  const open = async () => {
    const connection = await connect({ servers: url, reconnectTimeWait: 50, maxReconnectAttempts: -1 });
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
    // Only the first connection, which is that of the adapter under test.
    breakLinks: async () => first?.reconnect(),
    async close() {
      for (const connection of connections) await connection.close();
    },
  };
}
