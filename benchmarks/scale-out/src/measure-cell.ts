import type { Latency, Servers } from "@chainwright/bench-measuring";
import { fill, type Mode, type OpenContender } from "@chainwright/bench-peers";
import { delay } from "./clock.ts";
import { askAll, measureDrain, type DrainFigures } from "./drain.ts";
import { measureLatency } from "./latency.ts";
import { startMember, type Member } from "./member.ts";
import type { Post } from "./messages.ts";
import { rowNamed } from "./rows.ts";
import type { Settings } from "./settings.ts";

/** A row with so many worker processes, beside so many idle ones. */
export interface Cell {
  readonly row: string;
  readonly mode: Mode;
  readonly processes: number;
  readonly idle: number;
}

export interface CellFigures extends Cell, DrainFigures {
  /** Undefined if the drain was cut off: jobs were still waiting. */
  readonly latency: Latency | undefined;
}

interface Crew {
  readonly busy: readonly Member[];
  readonly idle: readonly Member[];
}

export async function measureCell(
  cell: Cell,
  settings: Settings,
  servers: Servers,
  progress: (step: string) => void,
): Promise<CellFigures> {
  const { contender } = rowNamed(cell.row, cell.mode);
  const place = await contender.create(servers);
  const queue = await contender.join(servers, place);
  const crew: Crew = { busy: startMembers(cell.processes), idle: startMembers(cell.idle) };
  try {
    progress("processes");
    const post = { ...cell, concurrency: settings.concurrency, servers, place };
    await joinAll(crew, post);
    await warmUp(crew, queue, settings.warmUp[cell.mode], progress);
    progress("fill");
    const lead = settings.lead[cell.mode];
    const jobs = settings.jobs[cell.mode] + lead * cell.processes;
    await fill(queue, jobs, 1);
    const { limitSeconds, restMs, samples } = settings;
    await delay(restMs);
    progress("drain");
    const figures = await measureDrain({ ...crew, queue, jobs, lead, limitSeconds, needs: contender.needs, servers });
    await delay(restMs);
    progress("latency");
    const latency = figures.ran < jobs ? undefined : await measureLatency(queue, crew.busy, samples);
    return { ...cell, ...figures, latency };
  } finally {
    progress("end");
    await Promise.all([...crew.busy, ...crew.idle].map((member) => member.end()));
    await queue.close();
    await contender.remove(servers, place);
  }
}

function startMembers(count: number): readonly Member[] {
  return Array.from({ length: count }, startMember);
}

async function joinAll({ busy, idle }: Crew, post: Omit<Post, "isIdle">): Promise<void> {
  await Promise.all([
    ...busy.map((member) => member.ask({ ask: "join", post: { ...post, isIdle: false } })),
    ...idle.map((member) => member.ask({ ask: "join", post: { ...post, isIdle: true } })),
  ]);
  await askAll(idle, "start");
}

/** One process after the other, so that each runs the same number of jobs. */
async function warmUp(
  { busy }: Crew,
  queue: OpenContender,
  jobs: number,
  progress: (step: string) => void,
): Promise<void> {
  for (const [index, member] of busy.entries()) {
    progress(`warm-up of process ${index + 1}`);
    await fill(queue, jobs, 1);
    await member.ask({ ask: "warm up", jobs });
  }
}
