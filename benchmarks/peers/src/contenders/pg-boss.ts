import { cpuOf, placeOf, type Servers } from "@chainwright/bench-measuring";
import { Pool } from "pg";
import { PgBoss } from "pg-boss";
import { next, type Contender, type Load, type OpenContender, type Pace, type RunningWorker } from "../contender.ts";

const queue = "work";

type StartWorker = (boss: PgBoss, pace: Pace, onJob: (load: Load) => void) => Promise<unknown>;

/** In bursts, full batches are followed by the next at once; others wait out the polling interval. */
const polling = { burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 };

export const pgBossContenders: readonly Contender[] = [
  onPgBoss(
    "pg-boss",
    {
      plain: "batchSize = concurrency, burstWhenBatchFull, LISTEN/NOTIFY",
      recommended: "batchSize 500, burstWhenBatchFull, localConcurrency 2, LISTEN/NOTIFY",
    },
    (boss, pace, onJob) => {
      const [batchSize, localConcurrency] = pace === "recommended" ? [500, 2] : [pace, 1];
      return boss.work<Load>(queue, { ...polling, batchSize, localConcurrency }, async (jobs) => {
        await Promise.all(
          jobs.map(async ({ data }) => {
            onJob(data);
            if (data.stepsLeft > 0) await boss.send(queue, next(data));
          }),
        );
      });
    },
  ),
  onPgBoss(
    "pg-boss, a transaction for two jobs",
    {
      plain: "transactional, batchSize 2 (the least that comes in bursts), localConcurrency = half the concurrency",
      recommended: "the same at concurrency 10",
    },
    (boss, pace, onJob) => {
      const localConcurrency = (pace === "recommended" ? 10 : pace) / 2;
      const options = { ...polling, batchSize: 2, localConcurrency, transactional: true } as const;
      return boss.work<Load, void, typeof options>(queue, options, async (jobs, db) => {
        for (const { data } of jobs) {
          onJob(data);
          if (data.stepsLeft > 0) await boss.send(queue, next(data), { db });
        }
      });
    },
  ),
];

/** A batch settles as one. */
function onPgBoss(name: string, settings: Contender["settings"], work: StartWorker): Contender {
  return {
    name,
    league: "servers",
    needs: ["postgres"],
    settings,
    open: (servers) => open(servers, work),
  };
}

async function open(servers: Servers, work: StartWorker): Promise<OpenContender> {
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
    async startWorker(pace, onJob): Promise<RunningWorker> {
      await work(boss, pace, onJob);
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
}
