// Drizzle's transactions on SQLite as `tx`, in `client.transaction` and in handlers.
import { rmSync } from "node:fs";
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { drizzleDriver } from "@chainwright/sqlite/drizzle";
import { createClient, createProcessors, createWorker } from "chainwright";
import { eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/better-sqlite3";
import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { charge, orderJobTypes } from "./order.ts";

const orders = sqliteTable("orders", { id: text().primaryKey(), receipt: text() });

const path = `orders-${process.pid}.db`;
const db = drizzle(path);
db.run("create table orders (id text primary key, receipt text)");

// The adapter opens connections of its own.
const stateAdapter = createSqliteStateAdapter({ driver: drizzleDriver(() => drizzle(path)) });
await stateAdapter.migrate();
const client = createClient({ stateAdapter, jobTypes: orderJobTypes });

const processors = createProcessors({
  client,
  jobTypes: orderJobTypes,
  processors: {
    "order.charge": async ({ job, complete }) => {
      const receipt = await charge(job.input.cents);
      return complete(async ({ tx }) => {
        tx.update(orders).set({ receipt }).where(eq(orders.id, job.input.orderId)).run();
        return { receipt };
      });
    },
  },
});
const worker = createWorker({ client, processors: [processors] });
await worker.start();

for (const [orderId, cents] of [
  ["A-1", 4_200],
  ["A-2", 900],
] as const) {
  const chain = await client.transaction(async (tx) => {
    tx.insert(orders).values({ id: orderId }).run();
    return client.startChain({ tx, typeName: "order.charge", input: { orderId, cents } });
  });
  await client.awaitChain(chain, { timeoutMs: 60_000 });
}

console.log(db.select().from(orders).orderBy(orders.id).all());

await worker.stop();
await client.close();
await stateAdapter.close();
db.$client.close();
rmSync(path);
