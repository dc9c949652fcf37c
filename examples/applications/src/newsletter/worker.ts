// The worker beside the web application.
import { createProcessors, createWorker } from "chainwright";
import { client, close, sql } from "./client.ts";
import { newsletterJobTypes } from "./job-types.ts";

const processors = createProcessors({
  client,
  jobTypes: newsletterJobTypes,
  processors: {
    "subscriber.confirm": async ({ job, complete }) =>
      complete(async ({ tx }) => {
        await tx`insert into subscribers values (${job.input.email}) on conflict do nothing`;
        return { mailed: true };
      }),
  },
});
await sql`create table if not exists subscribers (email text primary key)`;
const worker = createWorker({ client, processors: [processors] });
await worker.start();
console.log("ready");
process.once("SIGTERM", () => {
  void (async () => {
    await worker.stop();
    await close();
  })();
});
