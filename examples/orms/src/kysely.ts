// Kysely's transactions as `tx`: in `client.transaction`, in handlers, and in transactions that the application opens itself.
import { createPostgresStateAdapter } from "@chainwright/postgres";
import { kyselyDriver } from "@chainwright/postgres/kysely";
import { createClient, createProcessors, createWorker } from "chainwright";
import { Kysely, PostgresDialect } from "kysely";
import { Pool } from "pg";
import { charge, orderJobTypes } from "./order.ts";

interface Database {
  orders: { id: string; receipt: string | null };
}

const pool = new Pool({ connectionString: process.env["POSTGRES_URL"] });
const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
await db.schema.createTable("orders").addColumn("id", "text").addColumn("receipt", "text").execute();

const driver = kyselyDriver(db, pool);
const stateAdapter = createPostgresStateAdapter({ driver });
await stateAdapter.migrate();
const client = createClient({ stateAdapter, jobTypes: orderJobTypes });

const processors = createProcessors({
  client,
  jobTypes: orderJobTypes,
  processors: {
    "order.charge": async ({ job, complete }) => {
      const receipt = await charge(job.input.cents);
      return complete(async ({ tx }) => {
        await tx.updateTable("orders").set({ receipt }).where("id", "=", job.input.orderId).execute();
        return { receipt };
      });
    },
  },
});
const worker = createWorker({ client, processors: [processors] });
await worker.start();

const first = await client.transaction(async (tx) => {
  await tx.insertInto("orders").values({ id: "A-1", receipt: null }).execute();
  return client.startChain({ tx, typeName: "order.charge", input: { orderId: "A-1", cents: 4_200 } });
});
await client.awaitChain(first, { timeoutMs: 60_000 });

const second = await db.transaction().execute(async (tx) => {
  await tx.insertInto("orders").values({ id: "A-2", receipt: null }).execute();
  const chain = await client.startChain({ tx, typeName: "order.charge", input: { orderId: "A-2", cents: 900 } });
  return { tx, chain };
});
client.committed(second.tx); // wakes the workers
await client.awaitChain(second.chain, { timeoutMs: 60_000 });

console.log(await db.selectFrom("orders").selectAll().orderBy("id").execute());

await worker.stop();
await client.close();
await stateAdapter.close();
await db.destroy(); // ends the pool
