import { answerParent, delay, now, told, type Servers } from "@chainwright/bench-measuring";
import { keyedContender } from "./all.ts";
import { openWitness } from "./witness.ts";

export interface KeyedRequest {
  readonly row: string;
  readonly servers: Servers;
  readonly place: string;
  readonly slots: number;
  /** How long a job takes. */
  readonly jobMs: number;
}

/** What one process has done. */
export interface KeyedFigures {
  readonly begunAt: number;
  readonly endedAt: number;
  readonly cpuMicros: number;
  /** Jobs that began while another one of their key was running. */
  readonly over: number;
}

/** A worker that begins and stops when its parent tells all of them. */
answerParent(async (asked, progress): Promise<KeyedFigures> => {
  const { row, servers, place, slots, jobMs } = asked as KeyedRequest;
  const open = await keyedContender(row).join(servers, place);
  const witness = openWitness(servers);
  const [begun, stopped] = [told("begin"), told("stop")];
  progress("ready");
  await begun;
  const cpu = process.cpuUsage();
  const begunAt = now();
  let [over, endedAt] = [0, begunAt];
  const worker = await open.work(slots, async (key) => {
    if (await witness.watch(key, () => delay(jobMs))) over += 1;
    endedAt = now();
  });
  await stopped;
  const { user, system } = process.cpuUsage(cpu);
  await worker.stop();
  await witness.close();
  await open.close();
  return { begunAt, endedAt, cpuMicros: user + system, over };
});
