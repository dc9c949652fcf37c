import { placeOf } from "@chainwright/bench-measuring";
import { createInProcessStateAdapter, type NotifyAdapter } from "chainwright";
import { createNatsNotifyAdapter } from "@chainwright/nats";
import { createRedisNotifyAdapter } from "@chainwright/redis";
import { ioRedis } from "@chainwright/redis/ioredis";
import { nodeRedis } from "@chainwright/redis/node-redis";
import { connect } from "@nats-io/transport-node";
import { Redis } from "ioredis";
import { createClient } from "redis";
import type { Row } from "../row.ts";

interface Broker {
  build(): NotifyAdapter;
  close(): Promise<unknown>;
}

export const brokerRows: readonly Row[] = [
  brokerRow({ name: "notify redis/redis", needs: ["redis"] }, async (url) => {
    const client = createClient({ url });
    client.on("error", () => undefined);
    await client.connect();
    return {
      build: () => createRedisNotifyAdapter({ driver: nodeRedis(client) }),
      close: () => client.close(),
    };
  }),
  brokerRow({ name: "notify redis/ioredis", needs: ["redis"] }, async (url) => {
    const client = new Redis(url);
    client.on("error", () => undefined);
    await client.ping();
    return {
      build: () => createRedisNotifyAdapter({ driver: ioRedis(client) }),
      close: () => client.quit(),
    };
  }),
  brokerRow({ name: "notify nats", needs: ["nats"] }, async (url) => {
    const connection = await connect({ servers: url });
    return {
      build: () => createNatsNotifyAdapter({ connection }),
      close: () => connection.close(),
    };
  }),
];

function brokerRow(row: Omit<Row, "prepare" | "keepsState">, open: (url: string) => Promise<Broker>): Row {
  return {
    ...row,
    keepsState: false,
    async prepare(servers) {
      const [need = "redis"] = row.needs;
      const broker = await open(placeOf(servers, need).url);
      return {
        build: async () => ({ stateAdapter: createInProcessStateAdapter(), notifyAdapter: broker.build() }),
        close: async () => void (await broker.close()),
      };
    },
  };
}
