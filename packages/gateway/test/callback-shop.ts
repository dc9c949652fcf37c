import {
  createClient,
  createInProcessNotifyAdapter,
  createProcessors,
  defineJobTypes,
  FatalError,
  type StateAdapter,
} from "chainwright";
import { z } from "zod";
import { callbackJobTypes } from "../src/callbacks/index.ts";

const jobTypes = defineJobTypes({
  work: {
    entry: true,
    input: z.object({ fails: z.boolean(), size: z.int().optional() }),
    output: z.object({ text: z.string() }),
  },
});

/** A client whose chains have callbacks, and the processors of its own job type. */
export function createShop(stateAdapter: StateAdapter) {
  const client = createClient({
    stateAdapter,
    notifyAdapter: createInProcessNotifyAdapter(),
    jobTypes: [jobTypes, callbackJobTypes],
    observers: [],
  });
  const work = createProcessors({
    client,
    jobTypes,
    processors: {
      work: async ({ job }) => {
        if (job.input.fails) throw new FatalError("it is broken");
        return { text: "done".padEnd(job.input.size ?? 0, "x") };
      },
    },
  });
  return { client, work };
}
