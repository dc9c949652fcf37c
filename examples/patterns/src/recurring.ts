// A schedule, every day or, here, every second. Every process declares it when it starts, and each tick starts one chain, whichever
// worker writes it. A run that fails ends its chain, and not the schedule.
import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  FatalError,
} from "chainwright";

const jobTypes = defineJobTypes<{
  "digest.send": { entry: true; input: { list: string }; output: { sent: boolean } };
}>();
const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes });

let runs = 0;
const threeRuns = Promise.withResolvers<void>();
const processors = createProcessors({
  client,
  jobTypes,
  processors: {
    "digest.send": async () => {
      runs += 1;
      if (runs >= 3) threeRuns.resolve();
      if (runs <= 3) console.log(runs === 2 ? "run 2 fails" : `run ${runs}`);
      if (runs === 2) throw new FatalError("no one subscribed that day");
      return { sent: true };
    },
  },
});
const worker = createWorker({ client, processors: [processors] });

// Every process does this when it starts, or a deployment does it once.
const declare = () =>
  client.applySchedules({
    owner: "digests",
    schedules: [{ id: "digest", typeName: "digest.send", input: { list: "all" }, everyMs: 1_000 }],
  });
const applied = [await declare(), await declare(), await declare()];
console.log(`${applied.flatMap(({ created }) => created).length} schedule, declared by ${applied.length} processes`);

await worker.start();
await threeRuns.promise;
await worker.stop();
await client.close();
