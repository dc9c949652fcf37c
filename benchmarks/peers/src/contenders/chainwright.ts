import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cpuOf, placeOf } from "@chainwright/bench-measuring";
import { createPostgresNotifyAdapter, createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { betterSqlite3 } from "@chainwright/sqlite/better-sqlite3";
import {
  createClient,
  createProcessors,
  createWorker,
  defineJobTypes,
  type NotifyAdapter,
  type StateAdapter,
} from "chainwright";
import { Pool } from "pg";
import { next, type Contender, type Load, type OpenContender } from "../contender.ts";

const jobTypes = defineJobTypes<{
  value: { entry: true; input: Load; output: { done: true }; continueWith: "value" };
  atomic: { entry: true; input: Load; output: { done: true }; continueWith: "atomic" };
}>();

type Kind = "value" | "atomic";

const schema = "chainwright_peers";
const defaults = { plain: "defaults", recommended: "defaults (concurrency 10)" };

export const chainwrightContenders: readonly Contender[] = [
  onPostgres("chainwright/postgres, values", "value"),
  onPostgres("chainwright/postgres, a transaction a job", "atomic"),
  onSqlite("chainwright/sqlite, values", "value"),
  onSqlite("chainwright/sqlite, a transaction a job", "atomic"),
];

function onPostgres(name: string, kind: Kind): Contender {
  return {
    name,
    league: "servers",
    needs: ["postgres"],
    settings: defaults,
    async open(servers) {
      const place = placeOf(servers, "postgres");
      const pool = new Pool({ connectionString: place.url, max: 10 });
      pool.on("error", () => undefined);
      await pool.query(`drop schema if exists ${schema} cascade`);
      const stateAdapter = createPostgresStateAdapter({ driver: pg(pool), schema });
      await stateAdapter.migrate();
      const notifyAdapter = createPostgresNotifyAdapter({ driver: pg(pool) });
      return {
        ...createQueue(kind, stateAdapter, notifyAdapter),
        serverCpu: () => cpuOf(place),
        async close() {
          await notifyAdapter.close();
          await stateAdapter.close();
          await pool.end();
        },
      };
    },
  };
}

function onSqlite(name: string, kind: Kind): Contender {
  return {
    name,
    league: "sqlite",
    needs: [],
    settings: { ...defaults, plain: "WAL, synchronous normal" },
    async open() {
      const folder = mkdtempSync(join(tmpdir(), "chainwright-peers-"));
      const stateAdapter = createSqliteStateAdapter({
        driver: betterSqlite3(join(folder, "jobs.db")),
        durability: "normal",
      });
      await stateAdapter.migrate();
      return {
        ...createQueue(kind, stateAdapter, undefined),
        serverCpu: () => undefined,
        async close() {
          await stateAdapter.close();
          rmSync(folder, { recursive: true });
        },
      };
    },
  };
}

function createQueue(
  kind: Kind,
  stateAdapter: StateAdapter,
  notifyAdapter: NotifyAdapter | undefined,
): Omit<OpenContender, "serverCpu" | "close"> {
  const client = createClient({ stateAdapter, notifyAdapter, jobTypes });
  let onJob = (_load: Load): void => undefined;
  const processors = createProcessors({
    client,
    jobTypes,
    processors: {
      value: async ({ job, continueWith }) => {
        onJob(job.input);
        return job.input.stepsLeft === 0 ? { done: true } : continueWith({ typeName: "value", input: next(job.input) });
      },
      atomic: async ({ job, complete }) =>
        complete(async ({ continueWith }) => {
          onJob(job.input);
          return job.input.stepsLeft === 0
            ? { done: true }
            : continueWith({ typeName: "atomic", input: next(job.input) });
        }),
    },
  });
  return {
    enqueue: (input) => client.startChain({ typeName: kind, input }),
    enqueueMany: (loads) => client.startChains({ items: loads.map((input) => ({ typeName: kind, input })) }),
    async startWorker(pace, listener) {
      onJob = listener;
      const worker = createWorker({
        client,
        processors: [processors],
        ...(pace === "recommended" ? {} : { concurrency: pace }),
      });
      await worker.start();
      return { stop: () => worker.stop() };
    },
    async unsettled() {
      const counts = await stateAdapter.count({});
      return counts.reduce((sum, row) => (row.status === "completed" ? sum : sum + row.count), 0);
    },
  };
}
