// Two services on one database. Each declares its own job types and handles only those. The orders service starts mails and waits for
// them; it needs only their types.
import { createSqliteNotifyAdapter, createSqliteStateAdapter } from "@chainwright/sqlite";
import { nodeSqlite } from "@chainwright/sqlite/node-sqlite";
import { createClient, createProcessors, createWorker, defineJobTypes } from "chainwright";

const database = process.argv[2] ?? "shop.db";

/** The client of a service; in production, each service has its own process. */
async function connect() {
  const stateAdapter = createSqliteStateAdapter({ driver: nodeSqlite(database) });
  await stateAdapter.migrate();
  return { stateAdapter, notifyAdapter: createSqliteNotifyAdapter({ driver: nodeSqlite(`${database}-hints`) }) };
}

/* ---- the mail service; its job types are what the others import of it ---- */

const mailJobTypes = defineJobTypes<{
  "mail.send": { entry: true; input: { to: string; text: string }; output: { messageId: string } };
}>();

const mailAdapters = await connect();
const mails = createClient({ ...mailAdapters, jobTypes: mailJobTypes });
const mailProcessors = createProcessors({
  client: mails,
  jobTypes: mailJobTypes,
  processors: {
    "mail.send": async ({ job }) => {
      console.log(`mails: "${job.input.text}" to ${job.input.to}`);
      return { messageId: "m-1" };
    },
  },
});
const mailWorker = createWorker({ client: mails, processors: [mailProcessors], name: "mails" });

/* ---- the order service ---- */

const orderJobTypes = defineJobTypes<
  {
    "order.place": { entry: true; input: { customer: string }; continueWith: "order.close" };
    "order.close": { input: { customer: string }; output: { confirmedBy: string }; blockers: ["mail.send"] };
  },
  typeof mailJobTypes
>();

const orderAdapters = await connect();
const orders = createClient({ ...orderAdapters, jobTypes: [orderJobTypes, mailJobTypes] });
const orderProcessors = createProcessors({
  client: orders,
  jobTypes: orderJobTypes,
  processors: {
    "order.place": async ({ job: { input }, continueWith }) => {
      console.log(`orders: an order of ${input.customer}`);
      const mail = { typeName: "mail.send", input: { to: input.customer, text: "Thank you" } } as const;
      return continueWith({ typeName: "order.close", input, blockers: [mail] });
    },
    "order.close": async ({ job }) => ({ confirmedBy: job.blockers[0].output.messageId }),
  },
});
const orderWorker = createWorker({ client: orders, processors: [orderProcessors], name: "orders" });

await Promise.all([mailWorker.start(), orderWorker.start()]);
const chain = await orders.startChain({ typeName: "order.place", input: { customer: "Ada" } });
const { output } = await orders.awaitChain(chain, { timeoutMs: 60_000 });
console.log(`orders: closed, confirmed by ${output.confirmedBy}`);

await Promise.all([mailWorker.stop(), orderWorker.stop()]);
await Promise.all([mails.close(), orders.close()]);
for (const { stateAdapter, notifyAdapter } of [mailAdapters, orderAdapters]) {
  await notifyAdapter.close();
  await stateAdapter.close();
}
