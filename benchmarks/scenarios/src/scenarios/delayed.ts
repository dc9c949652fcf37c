import { delay, now, percentile } from "@chainwright/bench-measuring";
import { createClient, createProcessors, createWorker, defineJobTypes } from "chainwright";
import type { Scenario } from "../scenario.ts";
import { onStore, stores } from "../store.ts";

const jobTypes = defineJobTypes<{
  late: { entry: true; input: { dueAt: number }; output: { done: true } };
}>();

/** All jobs are in the store before the first is due. */
const headStartMs = 2_000;

/** How long after its time the handler of a delayed job begins. */
export const delayed: Scenario = {
  name: "delayed",
  title: "Delayed jobs",
  note: "Jobs that become due one after the other, evenly over some seconds, on one idle worker: how long after its time the handler of a job begins.",
  columns: [
    { name: "p50, ms late", keys: ["p50"], digits: 1 },
    { name: "p99", keys: ["p99"], digits: 1 },
    { name: "latest", keys: ["latest"], digits: 1 },
  ],
  rows: stores,
  measure: (row, { settings, servers, progress }) =>
    onStore(row, servers, async ({ adapters }) => {
      const { delayedJobs: count, delayedSeconds } = settings;
      const client = createClient({ ...adapters, jobTypes });
      const lateness: number[] = [];
      const all = Promise.withResolvers<void>();
      const processors = createProcessors({
        client,
        jobTypes,
        processors: {
          late: async ({ job }) => {
            lateness.push(now() - job.input.dueAt);
            if (lateness.length === count) all.resolve();
            return { done: true };
          },
        },
      });
      const worker = createWorker({ client, processors: [processors] });
      await worker.start();
      progress("start jobs");
      const firstAt = Math.ceil(now() + headStartMs);
      const dueAts = Array.from({ length: count }, (_, index) =>
        Math.round(firstAt + (index * delayedSeconds * 1_000) / count),
      );
      for (let from = 0; from < count; from += 500)
        await client.startChains({
          items: dueAts.slice(from, from + 500).map((dueAt) => ({
            typeName: "late",
            input: { dueAt },
            schedule: { at: new Date(dueAt) },
          })),
        });
      if (now() > firstAt) throw new Error(`the first job was due before all ${count} were started`);
      progress("wait for them");
      await Promise.race([all.promise, tooLate(firstAt + delayedSeconds * 1_000, lateness, count)]);
      await worker.stop();
      await client.close();
      return { p50: percentile(lateness, 0.5), p99: percentile(lateness, 0.99), latest: Math.max(...lateness) };
    }),
};

async function tooLate(lastAt: number, lateness: readonly number[], count: number): Promise<never> {
  await delay(lastAt - now() + 30_000);
  throw new Error(`${count - lateness.length} of ${count} jobs did not begin within 30 s of the last one's time`);
}
