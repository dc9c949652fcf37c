import { createNatsNotifyAdapter } from "@chainwright/nats";
import { createRedisNotifyAdapter } from "@chainwright/redis";
import { ioRedis } from "@chainwright/redis/ioredis";
import { nodeRedis } from "@chainwright/redis/node-redis";
import { connect } from "@nats-io/transport-node";
import { Redis } from "ioredis";
import { createClient } from "redis";
import type { Pair } from "./pair.ts";
import { openRelay } from "./relay.ts";
import type { OpenState } from "./state-adapters.ts";

/** Everything here reconnects at once. */
const retryMs = 20;

export async function withNodeRedis({ stateAdapter, close }: OpenState, url: string): Promise<Pair> {
  const relay = await openRelay(url);
  const client = createClient({ url: relay.url, socket: { reconnectStrategy: retryMs } });
  client.on("error", () => undefined);
  await client.connect();
  const notifyAdapter = createRedisNotifyAdapter({ driver: nodeRedis(client) });
  return {
    stateAdapter,
    notifyAdapter,
    cut: relay.cut,
    emitters: [client],
    close: async () => {
      await notifyAdapter.close();
      await close();
      client.destroy();
      await relay.close();
    },
  };
}

export async function withIoRedis({ stateAdapter, close }: OpenState, url: string): Promise<Pair> {
  const relay = await openRelay(url);
  const client = new Redis(relay.url, { retryStrategy: () => retryMs });
  client.on("error", () => undefined);
  const notifyAdapter = createRedisNotifyAdapter({ driver: ioRedis(client) });
  return {
    stateAdapter,
    notifyAdapter,
    cut: relay.cut,
    emitters: [client],
    close: async () => {
      await notifyAdapter.close();
      await close();
      client.disconnect();
      await relay.close();
    },
  };
}

export async function withNats({ stateAdapter, close }: OpenState, url: string): Promise<Pair> {
  const relay = await openRelay(url);
  const { host } = new URL(relay.url);
  const connection = await connect({ servers: host, reconnectTimeWait: retryMs, maxReconnectAttempts: -1 });
  const notifyAdapter = createNatsNotifyAdapter({ connection });
  return {
    stateAdapter,
    notifyAdapter,
    cut: relay.cut,
    emitters: [],
    close: async () => {
      await notifyAdapter.close();
      await close();
      await connection.close();
      await relay.close();
    },
  };
}
