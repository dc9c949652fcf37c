// SIGTERM: the worker claims no more jobs, its handlers finish, and jobs that have not started go back at once. The next process continues.
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { nodeSqlite } from "@chainwright/sqlite/node-sqlite";
import { createClient, createProcessors, createWorker, defineJobTypes } from "chainwright";

const jobTypes = defineJobTypes<{
  "mail.send": { entry: true; input: { to: string }; output: { sent: boolean } };
}>();
const stateAdapter = createSqliteStateAdapter({ driver: nodeSqlite(process.argv[2] ?? "mails.db") });
await stateAdapter.migrate();
const client = createClient({ stateAdapter, jobTypes });
const stopping = Promise.withResolvers<void>();

const processors = createProcessors({
  client,
  jobTypes,
  processors: {
    "mail.send": async ({ job }) => {
      console.log(`a mail to ${job.input.to}`);
      if (job.input.to === "Ada") {
        process.kill(process.pid, "SIGTERM"); // as the platform does, at any time
        await stopping.promise; // the handler is in the middle of its work
      }
      console.log(`sent to ${job.input.to}`);
      return { sent: true };
    },
  },
});
const worker = createWorker({ client, processors: [processors], concurrency: 1 });
const stopped = Promise.withResolvers<void>();

async function shutDown(): Promise<void> {
  console.log("stopping");
  stopping.resolve();
  // The signals of handlers that take longer abort, and their jobs go back too.
  await worker.stop({ timeoutMs: 30_000 });
  stopped.resolve();
}
process.once("SIGTERM", () => void shutDown());

const names = ["Ada", "Grace", "Edsger"];
const chains = await client.startChains({ items: names.map((to) => ({ typeName: "mail.send", input: { to } })) });
await worker.start();
await stopped.promise;
const left = await client.listChains({ status: ["active"] });
console.log(`stopped; ${left.items.length} mails wait`);

// In production the process above ends here, and this is the next process.
const next = createWorker({ client, processors: [processors], concurrency: 1 });
await next.start();
for (const chain of chains) await client.awaitChain(chain, { timeoutMs: 60_000 });
await next.stop();
await client.close();
await stateAdapter.close();
