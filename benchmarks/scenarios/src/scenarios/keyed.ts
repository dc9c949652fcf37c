import { cpuOf, delay, placeOf, startChild } from "@chainwright/bench-measuring";
import { keyedContender, keyedNames } from "../keyed/all.ts";
import type { OpenKeyed } from "../keyed/contender.ts";
import type { KeyedFigures, KeyedRequest } from "../keyed/process.ts";
import type { Scenario } from "../scenario.ts";

const keyedProcess = new URL("../keyed/process.ts", import.meta.url);
const [slots, jobMs, jobsOfAKey, batch] = [20, 5, 50, 100];

/** One job at a time of each key, over several processes, beside what other libraries offer for it. */
export const keyed: Scenario = {
  name: "keyed",
  title: "One at a time by key, over several processes",
  note:
    `Jobs of ${jobMs} ms, ${jobsOfAKey} of each key in turn, are there when the processes begin, each with ${slots} slots. ` +
    "A job is over the limit if another one of its key is running when it begins, as locks of Postgres say, which are part of every job here.",
  columns: [
    { name: "jobs over the limit", keys: ["over"], digits: 0 },
    { name: "jobs/s", keys: ["perSecond"], digits: 0 },
    { name: "us of CPU per job", keys: ["client", "server"], digits: 0 },
  ],
  rows: keyedNames.map((name) => ({ name, needs: ["postgres"] })),
  measure: async (row, { settings: { limitedJobs: count, processes }, servers, progress }) => {
    const contender = keyedContender(row);
    const place = await contender.create(servers);
    const open = await contender.join(servers, place);
    try {
      progress("start");
      await startAll(open, count);
      const request: KeyedRequest = { row, servers, place, slots, jobMs };
      const serverCpu = () => cpuOf(placeOf(servers, "postgres")) ?? 0;
      const before = serverCpu();
      const figures = await workInProcesses(request, { open, processes, progress });
      const server = (serverCpu() - before) / count;
      const began = Math.min(...figures.map(({ begunAt }) => begunAt));
      const ended = Math.max(...figures.map(({ endedAt }) => endedAt));
      return {
        over: figures.reduce((sum, { over }) => sum + over, 0),
        perSecond: (count / (ended - began)) * 1_000,
        client: figures.reduce((sum, { cpuMicros }) => sum + cpuMicros, 0) / count,
        server,
      };
    } finally {
      await open.close();
      await contender.remove(servers, place);
    }
  },
};

async function startAll(open: OpenKeyed, count: number): Promise<void> {
  const keys = Math.max(1, Math.floor(count / jobsOfAKey));
  for (let from = 0; from < count; from += batch) {
    const length = Math.min(batch, count - from);
    await open.start(Array.from({ length }, (_, n) => `key ${(from + n) % keys}`));
  }
}

interface Run {
  readonly open: OpenKeyed;
  readonly processes: number;
  readonly progress: (step: string) => void;
}

async function workInProcesses(request: KeyedRequest, run: Run): Promise<readonly KeyedFigures[]> {
  const { open, processes, progress } = run;
  const children = Array.from({ length: processes }, () => {
    const ready = Promise.withResolvers<void>();
    return { ready: ready.promise, ...startChild<KeyedFigures>(keyedProcess, request, () => ready.resolve()) };
  });
  progress("processes");
  await Promise.all(children.map(({ ready, figures }) => Promise.race([ready, figures])));
  progress("work");
  for (const { tell } of children) tell("begin");
  while ((await open.left()) > 0) await delay(200);
  for (const { tell } of children) tell("stop");
  return await Promise.all(children.map(({ figures }) => figures));
}
