// Prisma's transactions as `tx`: in `client.transaction`, in handlers, and in transactions that the application opens itself.
import { createPostgresStateAdapter } from "@chainwright/postgres";
import { prismaDriver } from "@chainwright/postgres/prisma";
import { PrismaPg } from "@prisma/adapter-pg";
import { createClient, createProcessors, createWorker } from "chainwright";
import { Pool } from "pg";
import { PrismaClient } from "./generated/client.ts";
import { charge, orderJobTypes } from "./order.ts";

const pool = new Pool({ connectionString: process.env["POSTGRES_URL"] });
const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
await prisma.$executeRaw`create table orders (id text primary key, receipt text)`;

const driver = prismaDriver(prisma, pool);
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
        await tx.order.update({ where: { id: job.input.orderId }, data: { receipt } });
        return { receipt };
      });
    },
  },
});
const worker = createWorker({ client, processors: [processors] });
await worker.start();

const first = await client.transaction(async (tx) => {
  await tx.order.create({ data: { id: "A-1" } });
  return client.startChain({ tx, typeName: "order.charge", input: { orderId: "A-1", cents: 4_200 } });
});
await client.awaitChain(first, { timeoutMs: 60_000 });

const second = await prisma.$transaction(async (tx) => {
  await tx.order.create({ data: { id: "A-2" } });
  const chain = await client.startChain({ tx, typeName: "order.charge", input: { orderId: "A-2", cents: 900 } });
  return { tx, chain };
});
client.committed(second.tx); // wakes the workers
await client.awaitChain(second.chain, { timeoutMs: 60_000 });

console.log(await prisma.order.findMany({ orderBy: { id: "asc" } }));

await worker.stop();
await client.close();
await stateAdapter.close();
await prisma.$disconnect();
await pool.end();
