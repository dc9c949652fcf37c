import { measure, type Figure } from "@chainwright/bench-measuring";
import { createClient, createProcessors, createWorker, defineJobTypes } from "chainwright";
import { medianRound } from "../rounds.ts";
import { observedBy, type Observed } from "../observed.ts";
import type { Scenario } from "../scenario.ts";
import { onStore, stores, type OpenStore } from "../store.ts";

const jobTypes = defineJobTypes<{
  value: { entry: true; input: { text: string }; output: { done: true } };
}>();

/** What observers add to the CPU of a job. */
export const observers: Scenario = {
  name: "observers",
  title: "Observers and OpenTelemetry",
  note: `CPU of a value job from its start to its end, in rounds of which the median counts: jobs are started by the hundred and then processed. OpenTelemetry exports to memory, in batches; spans and metrics are flushed at the end of each round, within the measurement.`,
  columns: [
    { name: "client, us of CPU", keys: ["client"], digits: 1 },
    { name: "server", keys: ["server"], digits: 1 },
    { name: "more than none, %", keys: ["client", "server"], digits: 1, overBase: true },
  ],
  base: "none",
  rows: stores.flatMap(({ name, needs }) =>
    Object.keys(observedBy).map((observed) => ({ name: `${name}, ${observed}`, needs })),
  ),
  measure: (row, { settings, servers, progress }) =>
    onStore(row, servers, async (open) => {
      const create = observedBy[row.slice(row.indexOf(", ") + 2)];
      if (create === undefined) throw new Error(`the row "${row}" ends with no observer`);
      const observed = create();
      const runRound = createRounds(open, observed, settings.observedJobs);
      const { client, server } = await medianRound(runRound, progress);
      return { client, ...(server !== undefined && { server }) };
    }),
};

function createRounds(open: OpenStore, observed: Observed, jobs: number): () => Promise<Figure> {
  const client = createClient({ ...open.adapters, jobTypes, observers: observed.observers });
  let ended = (): void => undefined;
  const processors = createProcessors({
    client,
    jobTypes,
    processors: {
      value: async () => {
        ended();
        return { done: true };
      },
    },
  });
  const items = Array.from({ length: 100 }, () => ({ typeName: "value", input: { text: "x".repeat(20) } }) as const);
  return () =>
    measure(jobs, open.serverCpu, async () => {
      for (let started = 0; started < jobs; started += items.length) await client.startChains({ items });
      const all = Promise.withResolvers<void>();
      let left = jobs;
      ended = () => {
        left -= 1;
        if (left === 0) all.resolve();
      };
      const worker = createWorker({ client, processors: [processors] });
      await worker.start();
      await all.promise;
      await worker.stop();
      await observed.flush();
    });
}
