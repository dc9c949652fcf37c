import { rmSync } from "node:fs";
import type { BackendName } from "@chainwright/backends";
import type { Servers } from "@chainwright/bench-measuring";
import { createSchema, dropSchema, openPool } from "@chainwright/bench-measuring/postgres";
import { createPostgresNotifyAdapter, createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { betterSqlite3 } from "@chainwright/sqlite/better-sqlite3";
import type { NotifyAdapter } from "chainwright";
import type { Pool } from "pg";
import { openChainwright } from "../chainwright-queue.ts";
import type { Contender, Mode } from "../contender.ts";
import { databaseIn, newFolder } from "../sqlite-folder.ts";

/** How hints travel from a process to the others. */
export interface Notify {
  readonly needs: readonly BackendName[];
  open(servers: Servers, pool: Pool): Promise<OpenNotify>;
}

interface OpenNotify {
  readonly notifyAdapter: NotifyAdapter;
  close(): Promise<unknown>;
}

interface OnPostgres {
  readonly name: string;
  readonly mode: Mode;
  /** Undefined: an application that names no notify adapter, so that hints stay in their process. */
  readonly notify: Notify | undefined;
}

const schema = "chainwright_peers";

/** What the guide on scaling out says about many quick jobs on Postgres. */
const twoWorkers = [50, 50];
const oneWorker = [undefined];

const defaults = { plain: "defaults", recommended: "defaults (concurrency 10)" };

/** LISTEN and NOTIFY on the pool of the state adapter. */
export const postgresNotify: Notify = {
  needs: ["postgres"],
  async open(_servers, pool) {
    const notifyAdapter = createPostgresNotifyAdapter({ driver: pg(pool) });
    return { notifyAdapter, close: () => notifyAdapter.close() };
  },
};

export const chainwrightContenders: readonly Contender[] = [
  chainwrightOnPostgres({ name: "chainwright/postgres, values", mode: "value", notify: postgresNotify }),
  chainwrightOnPostgres({ name: "chainwright/postgres, a transaction a job", mode: "atomic", notify: postgresNotify }),
  chainwrightOnPostgres({
    name: "chainwright/postgres, values, without notify",
    mode: "value",
    notify: undefined,
  }),
  chainwrightOnPostgres({
    name: "chainwright/postgres, a transaction a job, without notify",
    mode: "atomic",
    notify: undefined,
  }),
  onSqlite("chainwright/sqlite, values", "value"),
  onSqlite("chainwright/sqlite, a transaction a job", "atomic"),
];

export function chainwrightOnPostgres({ name, mode, notify }: OnPostgres): Contender {
  return {
    name,
    league: "servers",
    mode,
    needs: [...new Set<BackendName>(["postgres", ...(notify?.needs ?? [])])],
    settings: mode === "value" ? { ...defaults, recommended: "two workers, concurrency 50 each" } : defaults,
    async create(servers) {
      await createSchema(servers, schema);
      return schema;
    },
    async join(servers, place) {
      const pool = openPool(servers);
      const stateAdapter = createPostgresStateAdapter({ driver: pg(pool), schema: place });
      const opened = await notify?.open(servers, pool);
      const recommended = mode === "value" ? twoWorkers : oneWorker;
      const queue = openChainwright({ mode, recommended }, stateAdapter, opened?.notifyAdapter);
      return {
        ...queue,
        async close() {
          await queue.close();
          await opened?.close();
          await stateAdapter.close();
          await pool.end();
        },
      };
    },
    remove: dropSchema,
  };
}

function onSqlite(name: string, mode: Mode): Contender {
  return {
    name,
    league: "sqlite",
    mode,
    needs: [],
    settings: { ...defaults, plain: "WAL, synchronous normal" },
    async create() {
      const folder = newFolder();
      const stateAdapter = openSqlite(folder);
      await stateAdapter.migrate();
      await stateAdapter.close();
      return folder;
    },
    async join(_servers, folder) {
      const stateAdapter = openSqlite(folder);
      const queue = openChainwright({ mode, recommended: oneWorker }, stateAdapter, undefined);
      return {
        ...queue,
        async close() {
          await queue.close();
          await stateAdapter.close();
        },
      };
    },
    remove: async (_servers, folder) => rmSync(folder, { recursive: true }),
  };
}

function openSqlite(folder: string) {
  return createSqliteStateAdapter({ driver: betterSqlite3(databaseIn(folder)), durability: "normal" });
}
