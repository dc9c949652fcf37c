// Recurring work, every day or, here, every 20 ms. Each run starts the next one before it does anything else, so a failing run does
// not end the series. The moment of a run is its deduplication key, so no moment has two runs, however often it is started.
import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  FatalError,
} from "chainwright";

const intervalMs = 20;

const jobTypes = defineJobTypes<{
  "digest.send": { entry: true; input: { dueAt: number }; output: { sent: boolean } };
}>();
const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes });

function digestAt(dueAt: number) {
  const deduplication = { key: String(dueAt), scope: "any" } as const;
  return { typeName: "digest.send", input: { dueAt }, schedule: { at: new Date(dueAt) }, deduplication } as const;
}

const first = Math.ceil(Date.now() / intervalMs) * intervalMs;
const fourRuns = Promise.withResolvers<void>();

const processors = createProcessors({
  client,
  jobTypes,
  processors: {
    "digest.send": async ({ job, prepare }) => {
      const { dueAt } = job.input;
      await prepare({ mode: "staged" }, async ({ tx }) => client.startChain({ tx, ...digestAt(dueAt + intervalMs) }));

      const run = 1 + (dueAt - first) / intervalMs;
      if (run > 3) fourRuns.resolve();
      if (run <= 3) console.log(run === 2 ? "run 2 fails" : `run ${run}`);
      if (run === 2) throw new FatalError("no one subscribed that day");
      return { sent: true };
    },
  },
});
const worker = createWorker({ client, processors: [processors], concurrency: 1 });

// Every process may do this when it starts.
const starts = await Promise.all([1, 2, 3].map(() => client.startChain(digestAt(first))));
console.log(
  `${starts.filter(({ deduplicated }) => !deduplicated).length} series, started by ${starts.length} processes`,
);

await worker.start();
await fourRuns.promise;
await worker.stop();
await client.close();
