import { cpuOf, placeOf } from "@chainwright/bench-measuring";
import { Logger, makeWorkerUtils, run, type TaskList } from "graphile-worker";
import { Pool } from "pg";
import { next, type Contender, type Load } from "../contender.ts";

const silent = new Logger(() => () => undefined);
const spec = (payload: Load) => ({ identifier: "work", payload });

/** Ended jobs are deleted: no result is stored. */
export const graphileWorker: Contender = {
  name: "graphile-worker",
  league: "servers",
  needs: ["postgres"],
  settings: {
    plain: "defaults",
    recommended: "concurrency 24, localQueue of 500, completeJobBatchDelay 0",
  },
  async open(servers) {
    const place = placeOf(servers, "postgres");
    const pool = new Pool({ connectionString: place.url, max: 10 });
    pool.on("error", () => undefined);
    pool.on("connect", (client) => client.on("error", () => undefined));
    await pool.query("drop schema if exists graphile_worker cascade");
    const utils = await makeWorkerUtils({ pgPool: pool, logger: silent });
    await utils.migrate();
    return {
      serverCpu: () => cpuOf(place),
      enqueue: (load) => utils.addJob("work", load),
      enqueueMany: (loads) => utils.addJobs(loads.map(spec)),
      async startWorker(pace, onJob) {
        const taskList: TaskList = {
          work: async (payload, { addJob }) => {
            const load = payload as Load;
            onJob(load);
            if (load.stepsLeft > 0) await addJob("work", next(load));
          },
        };
        const runner = await run({
          pgPool: pool,
          logger: silent,
          noHandleSignals: true,
          taskList,
          ...(pace === "recommended"
            ? {
                concurrency: 24,
                preset: { worker: { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
              }
            : { concurrency: pace }),
        });
        return { stop: () => runner.stop() };
      },
      async unsettled() {
        const { rows } = await pool.query<{ count: number }>(
          "select count(*)::int as count from graphile_worker._private_jobs",
        );
        return rows[0]?.count ?? 0;
      },
      async close() {
        await utils.release();
        await pool.end();
      },
    };
  },
};
