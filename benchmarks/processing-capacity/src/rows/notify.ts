import { createInProcessStateAdapter, type NotifyAdapter } from "chainwright";
import { createNatsNotifyAdapter } from "@chainwright/nats";
import { createPostgresNotifyAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { postgresJs } from "@chainwright/postgres/postgres-js";
import { createRedisNotifyAdapter } from "@chainwright/redis";
import { ioRedis } from "@chainwright/redis/ioredis";
import { nodeRedis } from "@chainwright/redis/node-redis";
import { connect } from "@nats-io/transport-node";
import { Redis } from "ioredis";
import { Pool } from "pg";
import postgres from "postgres";
import { createClient } from "redis";
import type { BackendName } from "@chainwright/backends";
import { cpuOf, placeOf } from "@chainwright/bench-measuring";
import { memoryFloor } from "../floors/memory.ts";
import type { Row } from "../row.ts";

/** An adapter on a broker, the smallest round trip that its client can make there, and the client's end. */
interface OpenBroker {
  readonly notifyAdapter: NotifyAdapter;
  publishRoundTrip(): Promise<unknown>;
  close(): Promise<unknown>;
}

export const notifyRows: readonly Row[] = [
  notifyRow("notify redis/redis", "redis", async (url) => {
    const client = createClient({ url });
    client.on("error", () => undefined);
    await client.connect();
    return {
      notifyAdapter: createRedisNotifyAdapter({ driver: nodeRedis(client) }),
      publishRoundTrip: () => client.publish("bare", "x"),
      close: () => client.close(),
    };
  }),
  notifyRow("notify redis/ioredis", "redis", async (url) => {
    const client = new Redis(url);
    client.on("error", () => undefined);
    return {
      notifyAdapter: createRedisNotifyAdapter({ driver: ioRedis(client) }),
      publishRoundTrip: () => client.publish("bare", "x"),
      close: () => client.quit(),
    };
  }),
  notifyRow("notify postgres/pg", "postgres", async (url) => {
    const pool = new Pool({ connectionString: url });
    pool.on("error", () => undefined);
    return {
      notifyAdapter: createPostgresNotifyAdapter({ driver: pg(pool) }),
      publishRoundTrip: () => pool.query("select pg_notify('bare', 'x')"),
      close: () => pool.end(),
    };
  }),
  notifyRow("notify postgres/postgres.js", "postgres", async (url) => {
    const sql = postgres(url, { max: 10 });
    return {
      notifyAdapter: createPostgresNotifyAdapter({ driver: postgresJs(sql) }),
      publishRoundTrip: () => sql`select pg_notify('bare', 'x')`,
      close: () => sql.end(),
    };
  }),
  notifyRow("notify nats", "nats", async (url) => {
    const connection = await connect({ servers: url });
    return {
      notifyAdapter: createNatsNotifyAdapter({ connection }),
      publishRoundTrip: async () => {
        connection.publish("bare", "x");
        await connection.flush();
      },
      close: () => connection.close(),
    };
  }),
];

/** In-process state, so that what is measured is the broker's share. */
function notifyRow(name: string, need: BackendName, open: (url: string) => Promise<OpenBroker>): Row {
  return {
    name,
    needs: [need],
    async open(_settings, servers) {
      const place = placeOf(servers, need);
      const broker = await open(place.url);
      const workerBroker = await open(place.url);
      return {
        stateAdapter: createInProcessStateAdapter(),
        notifyAdapter: broker.notifyAdapter,
        workerNotifyAdapter: workerBroker.notifyAdapter,
        floor: { ...memoryFloor(), publishRoundTrip: async () => void (await broker.publishRoundTrip()) },
        serverCpu: () => cpuOf(place),
        async close() {
          for (const { notifyAdapter, close } of [broker, workerBroker]) {
            await notifyAdapter.close();
            await close();
          }
        },
      };
    },
  };
}
