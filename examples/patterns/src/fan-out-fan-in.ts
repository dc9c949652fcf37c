// One chain for each region, all at the same time. The report starts once, when the last of them has ended.
import { createClient, createInProcessStateAdapter, createProcessors, createWorker, defineJobTypes } from "chainwright";

const jobTypes = defineJobTypes<{
  "report.plan": { entry: true; input: { regions: string[] }; continueWith: "report.write" };
  "report.write": { input: { title: string }; output: { report: string }; blockers: "region.count"[] };
  "region.count": { entry: true; input: { region: string }; output: { region: string; orders: number } };
}>();
const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes });

const processors = createProcessors({
  client,
  jobTypes,
  processors: {
    // One commit: the plan ends, the regions start, and the report waits for them.
    "report.plan": async ({ job, continueWith }) =>
      continueWith({
        typeName: "report.write",
        input: { title: "Orders" },
        blockers: job.input.regions.map((region) => ({ typeName: "region.count", input: { region } })),
      }),
    "region.count": async ({ job }) => ({ region: job.input.region, orders: 100 * job.input.region.length }),
    // The outputs are in the order of the plan, whichever region finished first.
    "report.write": async ({ job }) => {
      const lines = job.blockers.map(({ output }) => `${output.region} ${output.orders}`);
      const total = job.blockers.reduce((sum, { output }) => sum + output.orders, 0);
      return { report: `${job.input.title}: ${lines.join(", ")}, in all ${total}` };
    },
  },
});
const worker = createWorker({ client, processors: [processors] });
await worker.start();

const regions = ["north", "east", "south", "west"];
const chain = await client.startChain({ typeName: "report.plan", input: { regions } });
const { output } = await client.awaitChain(chain, { timeoutMs: 60_000 });
console.log(output.report);

await worker.stop();
await client.close();
