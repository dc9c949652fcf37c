import { cpuOf, placeOf } from "@chainwright/bench-measuring";
import { Pool } from "pg";
import { PgBoss } from "pg-boss";
import { next, type Contender, type Load } from "../contender.ts";

const queue = "work";

/** Each worker takes a batch, which settles as one; full batches are followed by the next at once. */
export const pgBoss: Contender = {
  name: "pg-boss",
  league: "servers",
  needs: ["postgres"],
  settings: {
    plain: "batchSize = concurrency, burstWhenBatchFull, LISTEN/NOTIFY",
    recommended: "batchSize 500, burstWhenBatchFull, localConcurrency 2, LISTEN/NOTIFY",
  },
  async open(servers) {
    const place = placeOf(servers, "postgres");
    const pool = new Pool({ connectionString: place.url, max: 1 });
    await pool.query("drop schema if exists pgboss cascade");
    const boss = new PgBoss({ connectionString: place.url, max: 10, useListenNotify: true });
    boss.on("error", () => undefined);
    await boss.start();
    await boss.createQueue(queue, { notify: true });
    return {
      serverCpu: () => cpuOf(place),
      enqueue: (load) => boss.send(queue, load),
      enqueueMany: (loads) =>
        boss.insert(
          queue,
          loads.map((data) => ({ data })),
        ),
      async startWorker(pace, onJob) {
        const [batchSize, localConcurrency] = pace === "recommended" ? [500, 2] : [pace, 1];
        const options = { batchSize, localConcurrency, burstWhenBatchFull: batchSize > 1, pollingIntervalSeconds: 0.5 };
        await boss.work<Load>(queue, options, async (jobs) => {
          await Promise.all(
            jobs.map(async ({ data }) => {
              onJob(data);
              if (data.stepsLeft > 0) await boss.send(queue, next(data));
            }),
          );
        });
        return { stop: () => boss.offWork(queue, { wait: true }) };
      },
      async unsettled() {
        const { rows } = await pool.query<{ count: number }>(
          "select count(*)::int as count from pgboss.job where name = $1 and state < 'completed'",
          [queue],
        );
        return rows[0]?.count ?? 0;
      },
      async close() {
        await boss.stop({ graceful: false });
        await pool.end();
      },
    };
  },
};
