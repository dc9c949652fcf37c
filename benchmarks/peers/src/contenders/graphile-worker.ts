import { placeOf } from "@chainwright/bench-measuring";
import { dropSchema, openPool } from "@chainwright/bench-measuring/postgres";
import { Logger, makeWorkerUtils, run, type TaskList } from "graphile-worker";
import { next, type Contender, type Load, type OpenContender, type Pace } from "../contender.ts";

const schema = "graphile_worker";
const silent = new Logger(() => () => undefined);
const spec = (payload: Load) => ({ identifier: "work", payload });

/** Ended jobs are deleted: no result is stored. */
export const graphileWorker: Contender = {
  name: "graphile-worker",
  league: "servers",
  mode: "value",
  needs: ["postgres"],
  settings: {
    plain: "defaults",
    recommended: "concurrency 24, localQueue of 500, completeJobBatchDelay 0",
  },
  async create(servers) {
    await dropSchema(servers, schema);
    const utils = await makeWorkerUtils({ connectionString: placeOf(servers, "postgres").url, logger: silent });
    await utils.migrate();
    await utils.release();
    return schema;
  },
  join: async (servers) => await join(openPool(servers)),
  remove: dropSchema,
};

async function join(pool: ReturnType<typeof openPool>): Promise<OpenContender> {
  pool.on("connect", (client) => client.on("error", () => undefined));
  const utils = await makeWorkerUtils({ pgPool: pool, logger: silent });
  const start = async (pace: Pace, taskList: TaskList) => {
    const runner = await run({ pgPool: pool, logger: silent, noHandleSignals: true, taskList, ...settingsOf(pace) });
    return { stop: () => runner.stop() };
  };
  return {
    enqueue: (load) => utils.addJob("work", load),
    enqueueMany: (loads) => utils.addJobs(loads.map(spec)),
    startWorker: (pace, onJob) =>
      start(pace, {
        work: async (payload, { addJob }) => {
          const load = payload as Load;
          onJob(load);
          if (load.stepsLeft > 0) await addJob("work", next(load));
        },
      }),
    startIdleWorker: (pace) => start(pace, { idle: async () => undefined }),
    async unsettled() {
      const { rows } = await pool.query<{ count: number }>(
        `select count(*)::int as count from ${schema}._private_jobs`,
      );
      return rows[0]?.count ?? 0;
    },
    async close() {
      await utils.release();
      await pool.end();
    },
  };
}

function settingsOf(pace: Pace) {
  if (pace !== "recommended") return { concurrency: pace };
  const worker = { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 };
  return { concurrency: 24, preset: { worker } };
}
