import { postgresNotify, type Notify } from "@chainwright/bench-peers/chainwright";
import { placeOf } from "@chainwright/bench-measuring";
import { createNatsNotifyAdapter } from "@chainwright/nats";
import { createRedisNotifyAdapter } from "@chainwright/redis";
import { ioRedis } from "@chainwright/redis/ioredis";
import { connect } from "@nats-io/transport-node";
import { Redis } from "ioredis";

export type NotifyName = "none" | "postgres" | "redis" | "nats";

/** How hints travel between processes. With "none" they do not: each worker finds the jobs of other processes by looking. */
export const notifyByName: { readonly [Name in NotifyName]: Notify | undefined } = {
  none: undefined,
  postgres: postgresNotify,
  redis: {
    needs: ["redis"],
    async open(servers) {
      const client = new Redis(placeOf(servers, "redis").url);
      client.on("error", () => undefined);
      const notifyAdapter = createRedisNotifyAdapter({ driver: ioRedis(client) });
      return {
        notifyAdapter,
        async close() {
          await notifyAdapter.close();
          await client.quit();
        },
      };
    },
  },
  nats: {
    needs: ["nats"],
    async open(servers) {
      const connection = await connect({ servers: placeOf(servers, "nats").url });
      const notifyAdapter = createNatsNotifyAdapter({ connection });
      return {
        notifyAdapter,
        async close() {
          await notifyAdapter.close();
          await connection.close();
        },
      };
    },
  },
};

export const notifyNames = Object.keys(notifyByName) as readonly NotifyName[];
