import { delay, startChild } from "@chainwright/bench-measuring";
import { createLimitedJobs, slotsEach } from "../limited-jobs.ts";
import type { LimitedFigures, LimitedRequest } from "../limited-process.ts";
import type { Scenario } from "../scenario.ts";
import { onStore, stores, type OpenStore } from "../store.ts";

const limitedProcess = new URL("../limited-process.ts", import.meta.url);
const keys: Readonly<Record<string, string | undefined>> = { "no limit": undefined, "one key": "all" };

/** What is left of the throughput of several processes if all their jobs share one limit. */
export const gate: Scenario = {
  name: "gate",
  title: "One limit over several processes",
  note: `Value jobs that are there when the processes begin, each with a worker of ${slotsEach} slots. The limit has one key, and as many places as there are slots in all. Postgres writes to its disk before it reports a commit.`,
  columns: [
    { name: "jobs/s", keys: ["perSecond"], digits: 0 },
    { name: "more than without, %", keys: ["perSecond"], digits: 1, overBase: true },
    { name: "us of CPU per job", keys: ["client", "server"], digits: 0 },
  ],
  base: "no limit",
  rows: stores
    .filter(({ name }) => name !== "in-process")
    .flatMap(({ name, needs }) => Object.keys(keys).map((key) => ({ name: `${name}, ${key}`, needs }))),
  measure: (row, { settings, servers, progress }) =>
    onStore(row, servers, async (open, place) => {
      const { limitedJobs: count, processes, handlerMs } = settings;
      const request: LimitedRequest = { row, servers, place, concurrency: processes * slotsEach, handlerMs };
      const jobs = createLimitedJobs(open, { concurrency: request.concurrency, workers: 0 });
      progress("start");
      await jobs.start(count, () => keys[row.slice(row.indexOf(", ") + 2)]);
      const before = open.serverCpu();
      const figures = await processInProcesses(request, { open, count, processes, progress });
      const after = open.serverCpu();
      await jobs.close();
      const seconds =
        (Math.max(...figures.map(({ endedAt }) => endedAt)) - Math.min(...figures.map(({ begunAt }) => begunAt))) /
        1_000;
      return {
        perSecond: count / seconds,
        client: figures.reduce((sum, { cpuMicros }) => sum + cpuMicros, 0) / count,
        ...(before !== undefined && after !== undefined && { server: (after - before) / count }),
      };
    }),
};

interface Run {
  readonly open: OpenStore;
  readonly count: number;
  readonly processes: number;
  readonly progress: (step: string) => void;
}

async function processInProcesses(request: LimitedRequest, run: Run): Promise<readonly LimitedFigures[]> {
  const children = Array.from({ length: run.processes }, () => {
    const ready = Promise.withResolvers<void>();
    return { ready: ready.promise, ...startChild<LimitedFigures>(limitedProcess, request, () => ready.resolve()) };
  });
  run.progress("processes");
  await Promise.all(children.map(({ ready, figures }) => Promise.race([ready, figures])));
  run.progress("work");
  for (const { tell } of children) tell("begin");
  await allEnded(run);
  for (const { tell } of children) tell("stop");
  return await Promise.all(children.map(({ figures }) => figures));
}

async function allEnded({ open, count }: Run): Promise<void> {
  for (;;) {
    const counts = await open.adapters.stateAdapter.count({});
    const completed = counts.filter(({ status }) => status === "completed");
    if (completed.reduce((sum, { count: each }) => sum + each, 0) >= count) return;
    await delay(200);
  }
}
