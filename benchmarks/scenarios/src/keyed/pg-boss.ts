import { placeOf, type Servers } from "@chainwright/bench-measuring";
import { dropSchema, openPool } from "@chainwright/bench-measuring/postgres";
import { PgBoss } from "pg-boss";
import type { KeyedContender } from "./contender.ts";

const [schema, queue] = ["pgboss_keyed", "work"];

async function startBoss(servers: Servers): Promise<PgBoss> {
  const boss = new PgBoss({ connectionString: placeOf(servers, "postgres").url, schema, useListenNotify: true });
  boss.on("error", () => undefined);
  return await boss.start();
}

export const pgBoss: KeyedContender = {
  name: "pg-boss, groupConcurrency",
  async create(servers) {
    await dropSchema(servers, schema);
    const boss = await startBoss(servers);
    await boss.createQueue(queue, { notify: true });
    await boss.stop({ graceful: false });
    return schema;
  },
  async join(servers) {
    const pool = openPool(servers, 1);
    const boss = await startBoss(servers);
    return {
      async start(keys) {
        await boss.insert(
          queue,
          keys.map((key) => ({ data: { key }, group: { id: key } })),
        );
      },
      async work(slots, handle) {
        // In bursts, full batches are followed by the next at once; two is the least that comes in bursts.
        const options = {
          batchSize: 2,
          localConcurrency: slots / 2,
          groupConcurrency: 1,
          burstWhenBatchFull: true,
          pollingIntervalSeconds: 0.5,
        };
        await boss.work<{ key: string }>(queue, options, async (jobs) => {
          for (const { data } of jobs) await handle(data.key);
        });
        return { stop: () => boss.offWork(queue, { wait: true }) };
      },
      async left() {
        const { rows } = await pool.query<{ count: number }>(
          `select count(*)::int as count from ${schema}.job where name = '${queue}' and state < 'completed'`,
        );
        return rows[0]?.count ?? 0;
      },
      async close() {
        await boss.stop({ graceful: false });
        await pool.end();
      },
    };
  },
  remove: dropSchema,
};
