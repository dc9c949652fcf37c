// A pipeline on a SQLite file: thousands of documents, a few of which take long, and one report when all have been read.
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { betterSqlite3 } from "@chainwright/sqlite/better-sqlite3";
import { createClient, createProcessors, createWorker } from "chainwright";
import { countWords } from "./in-thread.ts";
import { ingestionJobTypes } from "./job-types.ts";

const stateAdapter = createSqliteStateAdapter({ driver: betterSqlite3(process.argv[2] ?? "ingestion.db") });
await stateAdapter.migrate();
const client = createClient({ stateAdapter, jobTypes: ingestionJobTypes });

const processors = createProcessors({
  client,
  jobTypes: ingestionJobTypes,
  processors: {
    "document.read": async ({ job, continueWith }) =>
      continueWith({ typeName: "document.count", input: { text: job.input.text.trim() } }),
    "document.count": async ({ job, signal }) => {
      const { text } = job.input;
      return { words: text.startsWith("scan") ? await countWords(text, signal) : text.split(/\s+/).length };
    },
    "report.write": async ({ job }) => ({
      documents: job.blockers.length,
      words: job.blockers.reduce((sum, { output }) => sum + output.words, 0),
    }),
  },
});
// The scans take longer than the lease of a second: the threads keep the event loop free, so it is renewed.
const worker = createWorker({ client, processors: [processors], concurrency: 4, leaseMs: 1_000 });

const documents = Array.from({ length: 2_000 }, (_, index) => (index < 8 ? `scan number ${index}` : ` page ${index} `));
const report = await client.startChain({
  typeName: "report.write",
  input: { name: "all" },
  blockers: documents.map((text) => ({ typeName: "document.read" as const, input: { text } })),
  tags: { folder: "inbox" },
});
await worker.start();

const progress = setInterval(() => {
  void client.getChain({ id: report.id }).then((chain) => {
    if (chain?.status === "active" && chain.blockers) {
      const { total, completed } = chain.blockers;
      process.stderr.write(`${completed} of ${total} documents\n`);
    }
  });
}, 100);
const { output } = await client.awaitChain(report, { timeoutMs: 60_000 });
clearInterval(progress);
console.log(output);

await worker.stop();
await client.close();
await stateAdapter.close();
