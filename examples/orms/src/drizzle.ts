// Drizzle's transactions as `tx`: in `client.transaction`, in handlers, and in transactions that the application opens itself.
import { createPostgresStateAdapter } from "@chainwright/postgres";
import { drizzleDriver } from "@chainwright/postgres/drizzle";
import { createClient, createProcessors, createWorker } from "chainwright";
import { eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { pgTable, text } from "drizzle-orm/pg-core";
import { Pool } from "pg";
import { charge, orderJobTypes } from "./order.ts";

const orders = pgTable("orders", { id: text().primaryKey(), receipt: text() });

const pool = new Pool({ connectionString: process.env["POSTGRES_URL"] });
const db = drizzle({ client: pool });
await db.execute(sql`create table orders (id text primary key, receipt text)`);

const driver = drizzleDriver(db);
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
        await tx.update(orders).set({ receipt }).where(eq(orders.id, job.input.orderId));
        return { receipt };
      });
    },
  },
});
const worker = createWorker({ client, processors: [processors] });
await worker.start();

const first = await client.transaction(async (tx) => {
  await tx.insert(orders).values({ id: "A-1" });
  return client.startChain({ tx, typeName: "order.charge", input: { orderId: "A-1", cents: 4_200 } });
});
await client.awaitChain(first, { timeoutMs: 60_000 });

const second = await db.transaction(async (tx) => {
  await tx.insert(orders).values({ id: "A-2" });
  const chain = await client.startChain({ tx, typeName: "order.charge", input: { orderId: "A-2", cents: 900 } });
  return { tx, chain };
});
client.committed(second.tx); // wakes the workers
await client.awaitChain(second.chain, { timeoutMs: 60_000 });

console.log(await db.select().from(orders).orderBy(orders.id));

await worker.stop();
await client.close();
await stateAdapter.close();
await pool.end();
