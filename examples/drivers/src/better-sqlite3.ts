// Chains in a file, through better-sqlite3: `tx` is its Database.
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { betterSqlite3 } from "@chainwright/sqlite/better-sqlite3";
import { createClient, createProcessors, createWorker } from "chainwright";
import { charge, orderJobTypes } from "./order.ts";

const stateAdapter = createSqliteStateAdapter({ driver: betterSqlite3(process.argv[2] ?? "orders.db") });
await stateAdapter.migrate();
const client = createClient({ stateAdapter, jobTypes: orderJobTypes });

const processors = createProcessors({
  client,
  jobTypes: orderJobTypes,
  processors: {
    "order.charge": async ({ job, complete }) => {
      const receipt = await charge(job.input.cents, job.idempotencyKey);
      return complete(async ({ tx }) => {
        tx.prepare("update orders set receipt = ? where id = ?").run(receipt, job.input.orderId);
        return { receipt };
      });
    },
  },
});
const worker = createWorker({ client, processors: [processors] });
await worker.start();

const chain = await client.transaction(async (tx) => {
  tx.exec("create table orders (id text primary key, receipt text)");
  tx.exec("insert into orders (id) values ('A-1')");
  return client.startChain({ tx, typeName: "order.charge", input: { orderId: "A-1", cents: 4_200 } });
});
await client.awaitChain(chain, { timeoutMs: 60_000 });

const row = await client.transaction(async (tx) => tx.prepare("select id, receipt from orders").get());
console.log(row);

await worker.stop();
await client.close();
await stateAdapter.close();
