import { delay, now, percentile } from "@chainwright/bench-measuring";
import { createClient, createProcessors, createWorker, defineJobTypes, type Observer } from "chainwright";
import type { Scenario } from "../scenario.ts";
import { onStore, stores } from "../store.ts";

const jobTypes = defineJobTypes<{
  report: { entry: true; input: { n: number }; output: { done: true } };
}>();

/** All schedules are in the store before they are due. A store with many of them takes longer to fill. */
const headStartMs = (count: number) => 2_000 + count * 4;

/** How long after their time the chains of many schedules that are due at once have started. */
export const schedules: Scenario = {
  name: "schedules",
  title: "Schedules that are due at the same time",
  note: "Schedules with the same next tick, on one worker that also runs the jobs: how long after that time their chains have started.",
  columns: [
    { name: "p50, ms late", keys: ["p50"], digits: 0 },
    { name: "all have started", keys: ["latest"], digits: 0 },
  ],
  rows: stores,
  measure: (row, { settings, servers, progress }) =>
    onStore(row, servers, async ({ adapters }) => {
      const count = settings.schedules;
      const started: number[] = [];
      const all = Promise.withResolvers<void>();
      const observer: Observer = (event) => {
        if (event.type !== "schedule-ticked") return;
        started.push(now());
        if (started.length === count) all.resolve();
      };
      const client = createClient({ ...adapters, jobTypes, observers: [observer] });
      const processors = createProcessors({ client, jobTypes, processors: { report: async () => ({ done: true }) } });
      const worker = createWorker({ client, processors: [processors] });
      await worker.start();
      progress("create schedules");
      const dueAt = Math.ceil(now() + headStartMs(count));
      for (let from = 0; from < count; from += 500) {
        const numbers = Array.from({ length: Math.min(500, count - from) }, (_, index) => from + index);
        await client.applySchedules({
          owner: `from ${from}`,
          schedules: numbers.map((n) => {
            const every = { everyMs: 86_400_000, from: new Date(dueAt) };
            return { id: `report ${n}`, typeName: "report" as const, input: { n }, ...every };
          }),
        });
      }
      if (now() > dueAt) throw new Error(`they were due before all ${count} were created`);
      progress("wait for them");
      await Promise.race([all.promise, tooLate(dueAt, started, count)]);
      await worker.stop();
      await client.close();
      const lateness = started.map((at) => at - dueAt);
      return { p50: percentile(lateness, 0.5), latest: lateness.reduce((most, each) => Math.max(most, each), 0) };
    }),
};

async function tooLate(dueAt: number, started: readonly number[], count: number): Promise<never> {
  await delay(dueAt - now() + 60_000);
  throw new Error(`${count - started.length} of ${count} schedules did not tick within a minute`);
}
