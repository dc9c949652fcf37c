// Knex' transactions as `tx`: in `client.transaction`, in handlers, and in transactions that the application opens itself.
import { createPostgresStateAdapter } from "@chainwright/postgres";
import { knexDriver } from "@chainwright/postgres/knex";
import { createClient, createProcessors, createWorker } from "chainwright";
import createKnex from "knex";
import { charge, orderJobTypes } from "./order.ts";

const connectionString = process.env["POSTGRES_URL"] ?? "";
const knex = createKnex({ client: "pg", connection: connectionString });
await knex.schema.createTable("orders", (table) => {
  table.text("id").primary();
  table.text("receipt");
});

const driver = knexDriver(knex);
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
        await tx("orders").where({ id: job.input.orderId }).update({ receipt });
        return { receipt };
      });
    },
  },
});
const worker = createWorker({ client, processors: [processors] });
await worker.start();

const first = await client.transaction(async (tx) => {
  await tx("orders").insert({ id: "A-1" });
  return client.startChain({ tx, typeName: "order.charge", input: { orderId: "A-1", cents: 4_200 } });
});
await client.awaitChain(first, { timeoutMs: 60_000 });

const second = await knex.transaction(async (tx) => {
  await tx("orders").insert({ id: "A-2" });
  const chain = await client.startChain({ tx, typeName: "order.charge", input: { orderId: "A-2", cents: 900 } });
  return { tx, chain };
});
client.committed(second.tx); // wakes the workers
await client.awaitChain(second.chain, { timeoutMs: 60_000 });

console.log(await knex("orders").select("id", "receipt").orderBy("id"));

await worker.stop();
await client.close();
await stateAdapter.close();
await knex.destroy();
