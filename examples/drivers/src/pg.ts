// Chains in Postgres, through pg: `tx` is its PoolClient.
import { createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { createClient, createProcessors, createWorker } from "chainwright";
import { Pool } from "pg";
import { charge, orderJobTypes } from "./order.ts";

const pool = new Pool({ connectionString: process.env["POSTGRES_URL"] });
const stateAdapter = createPostgresStateAdapter({ driver: pg(pool) });
await stateAdapter.migrate();
const client = createClient({ stateAdapter, jobTypes: orderJobTypes });

const processors = createProcessors({
  client,
  jobTypes: orderJobTypes,
  processors: {
    "order.charge": async ({ job, complete }) => {
      const receipt = await charge(job.input.cents, job.idempotencyKey);
      return complete(async ({ tx }) => {
        await tx.query("update orders set receipt = $1 where id = $2", [receipt, job.input.orderId]);
        return { receipt };
      });
    },
  },
});
const worker = createWorker({ client, processors: [processors] });
await worker.start();

const chain = await client.transaction(async (tx) => {
  await tx.query("create table orders (id text primary key, receipt text)");
  await tx.query("insert into orders (id) values ('A-1')");
  return client.startChain({ tx, typeName: "order.charge", input: { orderId: "A-1", cents: 4_200 } });
});
await client.awaitChain(chain, { timeoutMs: 60_000 });

const { rows } = await pool.query("select id, receipt from orders");
console.log(rows[0]);

await worker.stop();
await client.close();
await stateAdapter.close();
await pool.end();
