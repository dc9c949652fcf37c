import { placeOf } from "@chainwright/bench-measuring";
import { dropSchema, openPool } from "@chainwright/bench-measuring/postgres";
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import type { KeyedContender } from "./contender.ts";

const schema = "graphile_worker";
const logger = new Logger(() => () => undefined);

export const graphileWorker: KeyedContender = {
  name: "graphile-worker, named queues",
  async create(servers) {
    await dropSchema(servers, schema);
    const utils = await makeWorkerUtils({ connectionString: placeOf(servers, "postgres").url, logger });
    await utils.migrate();
    await utils.release();
    return schema;
  },
  async join(servers) {
    const pgPool = openPool(servers);
    pgPool.on("connect", (client) => client.on("error", () => undefined));
    const utils = await makeWorkerUtils({ pgPool, logger });
    return {
      async start(keys) {
        await utils.addJobs(keys.map((key) => ({ identifier: "work", payload: { key }, queueName: key })));
      },
      async work(concurrency, handle) {
        const work = async (payload: unknown) => handle((payload as { readonly key: string }).key);
        const runner = await run({ pgPool, logger, noHandleSignals: true, concurrency, taskList: { work } });
        return { stop: () => runner.stop() };
      },
      async left() {
        const { rows } = await pgPool.query<{ count: number }>(
          `select count(*)::int as count from ${schema}._private_jobs`,
        );
        return rows[0]?.count ?? 0;
      },
      async close() {
        await utils.release();
        await pgPool.end();
      },
    };
  },
  remove: dropSchema,
};
