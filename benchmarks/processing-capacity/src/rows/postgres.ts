import { createPostgresNotifyAdapter, createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { postgresJs } from "@chainwright/postgres/postgres-js";
import type { NotifyAdapter, StateAdapter } from "chainwright";
import { Pool } from "pg";
import postgres from "postgres";
import { cpuOf, placeOf } from "@chainwright/bench-measuring";
import { pgFloor } from "../floors/pg.ts";
import { postgresJsFloor } from "../floors/postgres-js.ts";
import type { Floor, Row } from "../row.ts";

const schema = "chainwright_bench";
/** For statements; those that notify adapters listen on come on top, so that rows differ in their hints alone. */
const connections = 10;

/** A pool of either client with an empty schema, and what the rows make of it. */
interface OpenPool {
  readonly stateAdapter: StateAdapter & { migrate(): Promise<unknown> };
  readonly floor: Floor;
  createNotifyAdapter(): NotifyAdapter;
  end(): Promise<void>;
}

type OpensPool = (url: string, notifyAdapters: number) => Promise<OpenPool>;

export const postgresRows: readonly Row[] = [
  postgresRow("postgres/pg", openPg),
  postgresRow("postgres/postgres.js", openPostgresJs),
  withNotify("postgres/pg + postgres notify", openPg),
  withNotify("postgres/postgres.js + postgres notify", openPostgresJs),
];

async function openPg(url: string, notifyAdapters: number): Promise<OpenPool> {
  const pool = new Pool({ connectionString: url, max: connections + notifyAdapters });
  pool.on("error", () => undefined);
  await pool.query(`drop schema if exists ${schema} cascade`);
  return {
    stateAdapter: createPostgresStateAdapter({ driver: pg(pool), schema }),
    floor: await pgFloor(pool),
    createNotifyAdapter: () => createPostgresNotifyAdapter({ driver: pg(pool) }),
    end: () => pool.end(),
  };
}

/** Its notify adapters listen on connections outside of the pool. */
async function openPostgresJs(url: string): Promise<OpenPool> {
  const sql = postgres(url, { max: connections, onnotice: () => undefined });
  await sql.unsafe(`drop schema if exists ${schema} cascade`);
  return {
    stateAdapter: createPostgresStateAdapter({ driver: postgresJs(sql), schema }),
    floor: await postgresJsFloor(sql),
    createNotifyAdapter: () => createPostgresNotifyAdapter({ driver: postgresJs(sql) }),
    end: () => sql.end(),
  };
}

/** Hints stay in the process. */
function postgresRow(name: string, openPool: OpensPool): Row {
  return {
    name,
    needs: ["postgres"],
    async open(_settings, servers) {
      const place = placeOf(servers, "postgres");
      const { stateAdapter, floor, end } = await openPool(place.url, 0);
      await stateAdapter.migrate();
      return {
        stateAdapter,
        floor,
        serverCpu: () => cpuOf(place),
        async close() {
          await stateAdapter.close();
          await end();
        },
      };
    },
  };
}

/** What most services run: the worker hears of jobs through the database. Client and worker have an adapter each. */
function withNotify(name: string, openPool: OpensPool): Row {
  return {
    name,
    needs: ["postgres"],
    async open(_settings, servers) {
      const place = placeOf(servers, "postgres");
      const { stateAdapter, floor, createNotifyAdapter, end } = await openPool(place.url, 2);
      await stateAdapter.migrate();
      const [notifyAdapter, workerNotifyAdapter] = [createNotifyAdapter(), createNotifyAdapter()];
      return {
        stateAdapter,
        notifyAdapter,
        workerNotifyAdapter,
        floor,
        serverCpu: () => cpuOf(place),
        async close() {
          await notifyAdapter.close();
          await workerNotifyAdapter.close();
          await stateAdapter.close();
          await end();
        },
      };
    },
  };
}
