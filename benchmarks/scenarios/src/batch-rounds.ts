import { delay, measure, type Figure } from "@chainwright/bench-measuring";
import { createClient, createProcessors, createWorker, defineJobTypes } from "chainwright";
import type { ClaimedJob, Outcome } from "chainwright/adapter";
import type { OpenStore } from "./store.ts";

const jobTypes = defineJobTypes<{
  value: { entry: true; input: { text: string }; output: { done: true } };
}>();

const [text, result] = ["x".repeat(20), { done: true } as const];
const maxSize = 500;
const handlerMs = 1;
const claimed = 100;
const leaseMs = 60_000;

/** Jobs that are there when they are measured, until the last one has ended. */
export type Round = (open: OpenStore, jobs: number) => Promise<Figure>;

/** The port alone: each call settles a hundred jobs and claims a hundred. */
export const portRound: Round = (open, jobs) => floorRound(open, jobs, { limit: claimed, outputsOf: knownOutputs });

/** The same with what every handler of batches needs: jobs by the batch, their inputs as values, and results that become text. */
export const payloadRound: Round = (open, jobs) => floorRound(open, jobs, { limit: maxSize, outputsOf: readOutputs });

type Claimed = readonly Pick<ClaimedJob, "input">[];

interface Floor {
  readonly limit: number;
  /** Returns the outputs of claimed jobs, as JSON. */
  readonly outputsOf: (jobs: Claimed) => Promise<readonly string[]>;
}

async function floorRound(open: OpenStore, jobs: number, { limit, outputsOf }: Floor): Promise<Figure> {
  const client = await startJobs(open, jobs);
  const { stateAdapter } = open.adapters;
  const workerId = "floor";
  const claim = { workerId, types: [{ typeName: "value", leaseMs }], limit };
  const figure = await measure(jobs, open.serverCpu, async () => {
    let outcomes: readonly Outcome[] = [];
    do {
      const reply = await stateAdapter.exchange({ outcomes, claim }, {});
      const outputs = await outputsOf(reply.claimed);
      outcomes = reply.claimed.map(({ id: jobId, fence }, index) => ({
        kind: "completed",
        target: { jobId, workerId, fence },
        output: outputs[index] ?? "null",
      }));
    } while (outcomes.length > 0);
  });
  await client.close();
  return figure;
}

const known = JSON.stringify(result);

async function knownOutputs(jobs: Claimed): Promise<readonly string[]> {
  return jobs.map(() => known);
}

async function readOutputs(jobs: Claimed): Promise<readonly string[]> {
  const inputs = jobs.map(({ input }): unknown => JSON.parse(input));
  const results = await handle(inputs);
  return results.map((value) => JSON.stringify(value));
}

async function handle(inputs: readonly unknown[]) {
  return inputs.map(() => ({ ...result }));
}

/** A worker with a handler of batches. */
export const batchRound: Round = async (open, jobs) => {
  const client = await startJobs(open, jobs);
  const all = Promise.withResolvers<void>();
  let left = jobs;
  const processors = createProcessors({
    client,
    jobTypes,
    processors: {
      value: {
        batch: {
          maxSize,
          maxWaitMs: 1_000,
          async handler({ jobs: ofBatch }) {
            await delay(handlerMs);
            left -= ofBatch.length;
            if (left === 0) all.resolve();
            return await handle(ofBatch);
          },
        },
      },
    },
  });
  const figure = await measure(jobs, open.serverCpu, async () => {
    const worker = createWorker({ client, processors: [processors] });
    await worker.start();
    await all.promise;
    // The last outcomes are stored when it has stopped.
    await worker.stop();
  });
  await client.close();
  return figure;
};

async function startJobs({ adapters }: OpenStore, jobs: number) {
  const client = createClient({ ...adapters, jobTypes });
  const items = Array.from({ length: 500 }, () => ({ typeName: "value", input: { text } }) as const);
  for (let started = 0; started < jobs; started += items.length)
    await client.startChains({ items: items.slice(0, jobs - started) });
  return client;
}
