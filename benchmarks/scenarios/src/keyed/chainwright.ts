import { createSchema, dropSchema } from "@chainwright/bench-measuring/postgres";
import { createClient, createProcessors, createWorker, defineJobTypes, defineLimits } from "chainwright";
import { storeOf } from "../store.ts";
import type { KeyedContender } from "./contender.ts";

const jobTypes = defineJobTypes<{ work: { entry: true; input: { key: string }; output: null } }>();
const limits = [
  defineLimits({ jobTypes, limits: { "one at a time": { keys: { work: ({ key }) => key }, concurrency: 1 } } }),
];

export const chainwright: KeyedContender = {
  name: "Chainwright, a limit by key",
  create: async (servers) => {
    await createSchema(servers, "chainwright_keyed");
    return "chainwright_keyed";
  },
  async join(servers, place) {
    const { adapters, close } = await storeOf("postgres").join(servers, place);
    const client = createClient({ ...adapters, jobTypes, limits });
    return {
      async start(keys) {
        await client.startChains({ items: keys.map((key) => ({ typeName: "work", input: { key } }) as const) });
      },
      async work(concurrency, handle) {
        const run = async ({ job }: { readonly job: { readonly input: { readonly key: string } } }) => {
          await handle(job.input.key);
          return null;
        };
        const processors = [createProcessors({ client, jobTypes, processors: { work: run } })];
        const worker = createWorker({ client, processors, concurrency });
        await worker.start();
        return { stop: () => worker.stop() };
      },
      async left() {
        const counts = await adapters.stateAdapter.count({});
        return counts.reduce((sum, { status, count }) => (status === "completed" ? sum : sum + count), 0);
      },
      async close() {
        await client.close();
        await close();
      },
    };
  },
  remove: dropSchema,
};
