import { measure } from "@chainwright/bench-measuring";
import { createLimitedJobs, slotsEach, type LimitedJobs } from "../limited-jobs.ts";
import { medianRound } from "../rounds.ts";
import type { Scenario } from "../scenario.ts";
import { onStore, stores } from "../store.ts";

const workers = 4;
const keys = 1_000;

interface Arrangement {
  /** The key of the nth job. */
  readonly keyOf: (n: number) => string | undefined;
  readonly concurrency: number;
  readonly isOneFull: boolean;
  /** How many times as many jobs wait when the workers begin. */
  readonly times?: number;
}

const perKey = { keyOf: (n: number) => `key ${n % keys}`, concurrency: 100 };

const arrangements: Readonly<Record<string, Arrangement>> = {
  "no limit": { keyOf: () => undefined, concurrency: 1, isOneFull: false },
  "1,000 keys, none full": { ...perKey, isOneFull: false },
  "1,000 keys, a backlog of seconds": { ...perKey, isOneFull: false, times: 6 },
  "1,000 keys beside a full one": { ...perKey, isOneFull: true },
  "one key, as many places as slots": { keyOf: () => "all", concurrency: workers * slotsEach, isOneFull: false },
};

/** What limits add to a job. */
export const limits: Scenario = {
  name: "limits",
  title: "Limits by key",
  note: `CPU of a value job from its start to its end on ${workers} workers of ${slotsEach} slots in one process, in rounds of which the median counts: jobs are started by the hundred and then processed. The full key is paused, and its jobs wait in their lane.`,
  columns: [
    { name: "client, us of CPU", keys: ["client"], digits: 1 },
    { name: "server", keys: ["server"], digits: 1 },
    { name: "more than without, %", keys: ["client", "server"], digits: 1, overBase: true },
    { name: "jobs/s", keys: ["perSecond"], digits: 0 },
  ],
  base: "no limit",
  rows: stores.flatMap(({ name, needs }) =>
    Object.keys(arrangements).map((arrangement) => ({ name: `${name}, ${arrangement}`, needs })),
  ),
  measure: (row, { settings, servers, progress }) =>
    onStore(row, servers, async (open) => {
      const arrangement = arrangements[row.slice(row.indexOf(", ") + 2)];
      if (arrangement === undefined) throw new Error(`the row "${row}" ends with no arrangement`);
      const jobs = createLimitedJobs(open, { concurrency: arrangement.concurrency, workers });
      if (arrangement.isOneFull) {
        progress("park");
        await jobs.park(settings.parkedJobs);
      }
      const count = settings.limitedJobs * (arrangement.times ?? 1);
      const run = () => measure(count, open.serverCpu, () => runRound(jobs, count, arrangement.keyOf));
      const figures = await medianRound(run, progress);
      await jobs.close();
      return figures;
    }),
};

/** Starts jobs and processes them. */
async function runRound(jobs: LimitedJobs, count: number, keyOf: Arrangement["keyOf"]): Promise<void> {
  await jobs.start(count, keyOf);
  const all = Promise.withResolvers<void>();
  let left = count;
  await jobs.work(all.promise, () => {
    left -= 1;
    if (left === 0) all.resolve();
  });
}
