/**
 * A gateway in a process of its own that kills itself once: when the store has committed an exchange that claims a job (`claim`) or that
 * settles one (`settle`), and before the response is written. Its settings come from the environment.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { nodeSqlite } from "@chainwright/sqlite/node-sqlite";
import { createClient, createInProcessNotifyAdapter } from "chainwright";
import type { StateAdapter } from "chainwright/adapter";
import { Pool } from "pg";
import { createGateway, hashKey } from "../src/index.ts";
import { createNodeListener } from "../src/node.ts";
import { jobTypes } from "./job-types.ts";

const { STORE = "", KEY = "", TOKEN_SECRET = "", DIES_AT = "" } = process.env;

function open(): StateAdapter {
  if (!STORE.startsWith("postgres")) return createSqliteStateAdapter({ driver: nodeSqlite(STORE) });
  return createPostgresStateAdapter({ driver: pg(new Pool({ connectionString: STORE, max: 2 })) });
}

const adapter = open();
const stateAdapter: StateAdapter = {
  ...adapter,
  async exchange(...args) {
    const reply = await adapter.exchange(...args);
    const has = { claim: reply.claimed.length > 0, settle: reply.settled.length > 0 };
    if ((DIES_AT === "claim" && has.claim) || (DIES_AT === "settle" && has.settle))
      process.kill(process.pid, "SIGKILL");
    return reply;
  },
};
await stateAdapter.migrate();
const client = createClient({ stateAdapter, notifyAdapter: createInProcessNotifyAdapter(), jobTypes, observers: [] });
const gateway = createGateway({
  client,
  keys: [{ name: "owner", hash: hashKey(KEY), scopes: [{ types: ["*"], verbs: ["start", "work", "read"] }] }],
  tokenSecrets: [TOKEN_SECRET],
  elsewhere: { "image.resize": { leaseMs: 600_000 } },
});
const listener = createNodeListener(gateway);
const server = createServer((request, response) => void listener(request, response));
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
