// Chains in a Postgres inside the process, through PGlite: `tx` is its Transaction.
import { createPostgresStateAdapter } from "@chainwright/postgres";
import { pglite } from "@chainwright/postgres/pglite";
import { PGlite } from "@electric-sql/pglite";
import { createClient, createProcessors, createWorker } from "chainwright";
import { charge, orderJobTypes } from "./order.ts";

// Without a folder, PGlite keeps its data in memory.
const db = new PGlite(process.argv[2]);
const stateAdapter = createPostgresStateAdapter({ driver: pglite(db) });
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

const { rows } = await db.query("select id, receipt from orders");
console.log(rows[0]);

await worker.stop();
await client.close();
await stateAdapter.close();
await db.close();
