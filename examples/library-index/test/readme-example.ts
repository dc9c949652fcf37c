import { createClient, createProcessors, createWorker, defineJobTypes } from "chainwright";
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { betterSqlite3 } from "@chainwright/sqlite/better-sqlite3";

const jobTypes = defineJobTypes<{
  "order.place": { entry: true; input: { orderId: string; cents: number }; continueWith: "order.charge" };
  "order.charge": { input: { orderId: string; cents: number }; output: { receipt: string } };
}>();
const stateAdapter = createSqliteStateAdapter({ driver: betterSqlite3("orders.db") });
await stateAdapter.migrate();
const client = createClient({ stateAdapter, jobTypes });

const processors = createProcessors({
  client,
  jobTypes,
  processors: {
    "order.place": async ({ job, continueWith }) => continueWith({ typeName: "order.charge", input: job.input }),
    "order.charge": async ({ job, complete }) => {
      const receipt = `receipt for ${job.input.cents} cents`; // talk to the payment provider here: no transaction is open
      return complete(async ({ tx }) => {
        tx.prepare("update orders set receipt = ? where id = ?").run(receipt, job.input.orderId);
        return { receipt }; // your row and the end of the step: one commit
      });
    },
  },
});
const worker = createWorker({ client, processors: [processors] });
await worker.start();

const chain = await client.transaction(async (tx) => {
  tx.exec("create table if not exists orders (id text, receipt text); insert into orders (id) values ('A-1')");
  return client.startChain({ tx, typeName: "order.place", input: { orderId: "A-1", cents: 4_200 } });
});
const { output } = await client.awaitChain(chain);
console.log(output.receipt);
await worker.stop();
