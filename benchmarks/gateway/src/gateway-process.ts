/** The gateway that is measured, in a process of its own: its store, secret and key come as arguments. */
import { createGateway } from "@chainwright/gateway";
import { createNodeListener } from "@chainwright/gateway/node";
import { createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { betterSqlite3 } from "@chainwright/sqlite/better-sqlite3";
import { createClient, createInProcessNotifyAdapter, defineJobTypes } from "chainwright";
import type { StateAdapter } from "chainwright/adapter";
import { createServer } from "node:http";
import { Pool } from "pg";
import { answerUsage, tellPort } from "./measured-process.ts";

interface Job {
  entry: true;
  elsewhere: true;
  input: { i: number };
  output: { i: number };
}

const [, , store = "", secret = "", hash = ""] = process.argv;
let exchanges = 0;

function open(): StateAdapter {
  const adapter: StateAdapter = store.startsWith("postgres")
    ? createPostgresStateAdapter({ driver: pg(new Pool({ connectionString: store, max: 10 })) })
    : createSqliteStateAdapter({ driver: betterSqlite3(store) });
  return {
    ...adapter,
    exchange: async (...args) => {
      exchanges += 1;
      return await adapter.exchange(...args);
    },
  };
}

const stateAdapter = open();
await stateAdapter.migrate();
const jobTypes = defineJobTypes<{ "bench.run": Job; "bench.idle": Job }>();
const client = createClient({ stateAdapter, notifyAdapter: createInProcessNotifyAdapter(), jobTypes, observers: [] });
const gateway = createGateway({
  client,
  keys: [{ name: "bench", hash, scopes: [{ types: ["*"], verbs: ["start", "work", "read", "admin"] }] }],
  tokenSecrets: [secret],
  limits: { parkedPerKey: 10_000 },
});
const listener = createNodeListener(gateway);
const server = createServer((request, response) => void listener(request, response));
answerUsage(() => ({ exchanges, parked: gateway.parked() }));
tellPort(server);
