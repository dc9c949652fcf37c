// Job types declared with zod: input from outside is checked before anything is written.
import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  isChainwrightError,
} from "chainwright";
import { z } from "zod";

const jobTypes = defineJobTypes({
  "user.invite": {
    entry: true,
    // What the caller wrote is stored; the handler gets what the schema makes of it.
    input: z.object({ email: z.email().toLowerCase(), seats: z.number().int().default(1) }),
    output: z.object({ invited: z.string() }),
  },
});
const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes });
const processors = createProcessors({
  client,
  jobTypes,
  processors: {
    "user.invite": async ({ job }) => ({ invited: `${job.input.email}, ${job.input.seats} seat` }),
  },
});
const worker = createWorker({ client, processors: [processors] });
await worker.start();

for (const email of ["Ada@Example.com", "no address"]) {
  try {
    const chain = await client.startChain({ typeName: "user.invite", input: { email } });
    const { output } = await client.awaitChain(chain, { timeoutMs: 60_000 });
    console.log(output);
  } catch (error) {
    if (!isChainwrightError(error, "invalid-input")) throw error;
    console.log(error.message);
  }
}

await worker.stop();
await client.close();
