// Chains in Postgres, through postgres.js: `tx` is its TransactionSql.
import { createPostgresStateAdapter } from "@chainwright/postgres";
import { postgresJs } from "@chainwright/postgres/postgres-js";
import { createClient, createProcessors, createWorker } from "chainwright";
import postgres from "postgres";
import { charge, orderJobTypes } from "./order.ts";

const sql = postgres(process.env["POSTGRES_URL"] ?? "");
const stateAdapter = createPostgresStateAdapter({ driver: postgresJs(sql) });
await stateAdapter.migrate();
const client = createClient({ stateAdapter, jobTypes: orderJobTypes });

const processors = createProcessors({
  client,
  jobTypes: orderJobTypes,
  processors: {
    "order.charge": async ({ job, complete }) => {
      const receipt = await charge(job.input.cents, job.idempotencyKey);
      return complete(async ({ tx }) => {
        await tx`update orders set receipt = ${receipt} where id = ${job.input.orderId}`;
        return { receipt };
      });
    },
  },
});
const worker = createWorker({ client, processors: [processors] });
await worker.start();

const chain = await client.transaction(async (tx) => {
  await tx`create table orders (id text primary key, receipt text)`;
  await tx`insert into orders (id) values ('A-1')`;
  return client.startChain({ tx, typeName: "order.charge", input: { orderId: "A-1", cents: 4_200 } });
});
await client.awaitChain(chain, { timeoutMs: 60_000 });

const [row] = await sql`select id, receipt from orders`;
console.log(row);

await worker.stop();
await client.close();
await stateAdapter.close();
await sql.end();
