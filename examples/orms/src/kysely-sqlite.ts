// Kysely's transactions on SQLite as `tx`, in `client.transaction`, in handlers, and in transactions that the application opens itself.
import { rmSync } from "node:fs";
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { kyselyDriver } from "@chainwright/sqlite/kysely";
import Database from "better-sqlite3";
import { createClient, createProcessors, createWorker } from "chainwright";
import { Kysely, SqliteDialect } from "kysely";
import { charge, orderJobTypes } from "./order.ts";

interface Tables {
  orders: { id: string; receipt: string | null };
}

const path = `orders-${process.pid}.db`;
const database = new Database(path);
database.pragma("journal_mode = wal");
database.pragma("synchronous = full"); // what the adapter's `durability` promises
const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database }) });
await db.schema.createTable("orders").addColumn("id", "text").addColumn("receipt", "text").execute();

// The adapter shares the connection of Kysely. With `() => new Database(path)` it would open connections of its own.
const stateAdapter = createSqliteStateAdapter({ driver: kyselyDriver(db, database) });
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

const first = await client.transaction(async (tx) => {
  await tx.insertInto("orders").values({ id: "A-1", receipt: null }).execute();
  return client.startChain({ tx, typeName: "order.charge", input: { orderId: "A-1", cents: 4_200 } });
});
const second = await db.transaction().execute(async (tx) => {
  await tx.insertInto("orders").values({ id: "A-2", receipt: null }).execute();
  const chain = await client.startChain({ tx, typeName: "order.charge", input: { orderId: "A-2", cents: 900 } });
  return { tx, chain };
});
client.committed(second.tx); // wakes the workers

await worker.start();
await client.awaitChain(first, { timeoutMs: 60_000 });
await client.awaitChain(second.chain, { timeoutMs: 60_000 });
await worker.stop();
console.log(await db.selectFrom("orders").selectAll().orderBy("id").execute());

await client.close();
await stateAdapter.close();
await db.destroy(); // closes the database
rmSync(path);
