import { placeOf, type Servers } from "@chainwright/bench-measuring";
import { dropSchema, keptConnections, openPool } from "@chainwright/bench-measuring/postgres";
import { PgBoss } from "pg-boss";
import { next, type Contender, type Load, type OnJob, type OpenContender, type Pace } from "../contender.ts";

const schema = "pgboss";

type StartWorker = (worker: {
  readonly boss: PgBoss;
  readonly queue: string;
  readonly pace: Pace;
  readonly onJob: OnJob;
}) => Promise<unknown>;

/** In bursts, full batches are followed by the next at once; others wait out the polling interval. */
const polling = { burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 };

export const pgBossContenders: readonly Contender[] = [
  onPgBoss(
    {
      name: "pg-boss",
      mode: "value",
      settings: {
        plain: "batchSize = concurrency, burstWhenBatchFull, LISTEN/NOTIFY",
        recommended: "batchSize 500, burstWhenBatchFull, localConcurrency 2, LISTEN/NOTIFY",
      },
    },
    ({ boss, queue, pace, onJob }) => {
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
    {
      name: "pg-boss, a transaction for two jobs",
      mode: "atomic",
      settings: {
        plain: "transactional, batchSize 2 (the least that comes in bursts), localConcurrency = half the concurrency",
        recommended: "the same at concurrency 10",
      },
    },
    ({ boss, queue, pace, onJob }) => {
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
function onPgBoss(named: Pick<Contender, "name" | "mode" | "settings">, work: StartWorker): Contender {
  return {
    ...named,
    league: "servers",
    needs: ["postgres"],
    async create(servers) {
      await dropSchema(servers, schema);
      const boss = await startBoss(servers);
      for (const queue of ["work", "idle"]) await boss.createQueue(queue, { notify: true });
      await boss.stop({ graceful: false });
      return schema;
    },
    join: (servers) => join(servers, work),
    remove: dropSchema,
  };
}

async function startBoss(servers: Servers): Promise<PgBoss> {
  const connection = { connectionString: placeOf(servers, "postgres").url, ...keptConnections };
  const boss = new PgBoss({ ...connection, useListenNotify: true });
  boss.on("error", () => undefined);
  return await boss.start();
}

async function join(servers: Servers, work: StartWorker): Promise<OpenContender> {
  const pool = openPool(servers);
  const boss = await startBoss(servers);
  const start = async (queue: string, pace: Pace, onJob: OnJob) => {
    await work({ boss, queue, pace, onJob });
    return { stop: () => boss.offWork(queue, { wait: true }) };
  };
  return {
    enqueue: (load) => boss.send("work", load),
    enqueueMany: (loads) =>
      boss.insert(
        "work",
        loads.map((data) => ({ data })),
      ),
    startWorker: (pace, onJob) => start("work", pace, onJob),
    startIdleWorker: (pace) => start("idle", pace, () => undefined),
    async unsettled() {
      const { rows } = await pool.query<{ count: number }>(
        `select count(*)::int as count from ${schema}.job where name = 'work' and state < 'completed'`,
      );
      return rows[0]?.count ?? 0;
    },
    async close() {
      await boss.stop({ graceful: false });
      await pool.end();
    },
  };
}
