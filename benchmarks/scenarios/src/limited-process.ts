import { answerParent, now, told, type Servers } from "@chainwright/bench-measuring";
import { createLimitedJobs } from "./limited-jobs.ts";
import { storeOf } from "./store.ts";

export interface LimitedRequest {
  readonly row: string;
  readonly servers: Servers;
  readonly place: string;
  readonly concurrency: number;
  readonly handlerMs: number;
}

/** What one process has done. */
export interface LimitedFigures {
  readonly jobs: number;
  readonly begunAt: number;
  readonly endedAt: number;
  readonly cpuMicros: number;
}

/** A worker that begins and stops when its parent tells all of them. */
answerParent(async (asked, progress): Promise<LimitedFigures> => {
  const { row, servers, place, concurrency, handlerMs } = asked as LimitedRequest;
  const open = await storeOf(row).join(servers, place);
  const jobs = createLimitedJobs(open, { concurrency, workers: 1, handlerMs });
  const [begun, stopped] = [told("begin"), told("stop")];
  progress("ready");
  await begun;
  const cpu = process.cpuUsage();
  const begunAt = now();
  let [count, endedAt] = [0, begunAt];
  await jobs.work(stopped, () => {
    count += 1;
    endedAt = now();
  });
  const { user, system } = process.cpuUsage(cpu);
  await jobs.close();
  await open.close();
  return { jobs: count, begunAt, endedAt, cpuMicros: user + system };
});
