import { createClient, createProcessors, createWorker, defineJobTypes } from "chainwright";
import type { Pair } from "./pair.ts";

const jobTypes = defineJobTypes<{
  value: { entry: true; input: { n: number }; output: number };
  atomic: { entry: true; input: { n: number }; output: number };
}>();
/** No worker processes these. */
const parkedJobTypes = defineJobTypes<{ parked: { entry: true; input: null; output: null } }>();

export type Rig = Awaited<ReturnType<typeof openRig>>;

/** A client and a running worker on a pair of adapters, as in an application. */
export async function openRig(pair: Pair) {
  const counted = { ran: 0 };
  const lives = new AbortController();
  const { stateAdapter, notifyAdapter } = pair;
  const client = createClient({ stateAdapter, notifyAdapter, jobTypes: [jobTypes, parkedJobTypes] });
  const run = (n: number): number => {
    counted.ran += 1;
    return n;
  };
  const processors = createProcessors({
    client,
    jobTypes,
    processors: {
      value: async ({ job }) => run(job.input.n),
      atomic: async ({ job, complete }) => complete(async () => run(job.input.n)),
    },
  });
  // A lease longer than any reconnect.
  const worker = createWorker({ client, processors: [processors], concurrency: 20, leaseMs: 600_000 });
  await worker.start();
  return {
    pair,
    client,
    counted,
    /** Kept until the process ends. */
    signal: lives.signal,
    emitters: [...pair.emitters, lives.signal],
    close: async () => {
      await worker.stop();
      await client.close();
      await pair.close();
    },
  };
}
