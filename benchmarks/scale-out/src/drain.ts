import type { BackendName } from "@chainwright/backends";
import { cpuOf, delay, placeOf, type Servers } from "@chainwright/bench-measuring";
import type { OpenContender } from "@chainwright/bench-peers";
import type { Member } from "./member.ts";

export interface DrainFigures {
  readonly ran: number;
  readonly perSecond: number;
  /** Microseconds of CPU for each job, of all worker processes together, idle ones included. */
  readonly clientCpuMicros: number;
  /** The part of the idle processes. */
  readonly idleCpuMicros: number;
  /** The same of each server that the run started, with all its processes. */
  readonly serverCpuMicros: { readonly [Name in BackendName]?: number };
  /** Jobs that each busy process ran. */
  readonly shares: readonly number[];
}

export interface Drain {
  readonly queue: OpenContender;
  readonly busy: readonly Member[];
  readonly idle: readonly Member[];
  readonly jobs: number;
  /** The first jobs of each process, whose CPU is not counted: the worker starts with them. */
  readonly lead: number;
  readonly limitSeconds: number;
  readonly needs: readonly BackendName[];
  readonly servers: Servers;
}

/** From the start of the workers until no job is open in the store, or until the time is over, for what was done by then. */
export async function measureDrain(drain: Drain): Promise<DrainFigures> {
  const { busy, idle, jobs, lead, needs, servers } = drain;
  await Promise.all([...busy, ...idle].map((member) => member.ask({ ask: "mark", lead })));
  const serversBefore = needs.map((need) => cpuOf(placeOf(servers, need)));
  const drained = untilDrained(drain);
  const startedAt = performance.now();
  await Promise.race([Promise.all([askAll(busy, "start"), drained]), ...[...busy, ...idle].map(({ died }) => died)]);
  const seconds = (performance.now() - startedAt) / 1_000;
  const serversAfter = needs.map((need) => cpuOf(placeOf(servers, need)));
  const busyUsage = await askAll(busy, "usage");
  const idleUsage = await askAll(idle, "usage");
  const shares = busyUsage.map(({ ran }) => ran);
  const ran = sum(shares);
  if (ran > jobs) throw new Error(`${ran - jobs} jobs ran twice`);
  const idleCpu = sum(idleUsage.map(({ cpuMicros }) => cpuMicros));
  const serverCpu = needs.flatMap((need, index) => {
    const [before, after] = [serversBefore[index], serversAfter[index]];
    return before === undefined || after === undefined ? [] : [[need, (after - before) / ran] as const];
  });
  const busyCpu = sum(busyUsage.map(({ cpuMicros }) => cpuMicros)) / sum(busyUsage.map(({ counted }) => counted));
  return {
    ran,
    perSecond: ran / seconds,
    clientCpuMicros: busyCpu + idleCpu / ran,
    idleCpuMicros: idleCpu / ran,
    serverCpuMicros: Object.fromEntries(serverCpu),
    shares,
  };
}

/** Asks the store only at the end, because counting its jobs is work for the server. */
async function untilDrained({ queue, busy, jobs, limitSeconds }: Drain): Promise<void> {
  const ran = new Map<Member, number>();
  const all = Promise.withResolvers<boolean>();
  const limit = setTimeout(() => all.resolve(false), limitSeconds * 1_000);
  for (const member of busy)
    member.listen((report) => {
      if ("ran" in report) ran.set(member, report.ran);
      if (sum([...ran.values()]) >= jobs) all.resolve(true);
    });
  const isDone = await all.promise;
  clearTimeout(limit);
  if (!isDone) return;
  while ((await queue.unsettled()) > 0) await delay(2);
}

export function askAll(members: readonly Member[], ask: "start" | "usage" | "watch") {
  return Promise.all(members.map((member) => member.ask({ ask })));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
