import { delay, type Latency, type Servers } from "@chainwright/bench-measuring";
import { fill, type Mode, type OpenContender } from "@chainwright/bench-peers";
import { createCrew } from "./crew.ts";
import { measureDrain, type DrainFigures } from "./drain.ts";
import { measureLatency } from "./latency.ts";
import { loadRow } from "./load-row.ts";
import type { Member } from "./member.ts";
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

export async function measureCell(
  cell: Cell,
  settings: Settings,
  servers: Servers,
  progress: (step: string) => void,
): Promise<CellFigures> {
  const { contender } = await loadRow(cell.row, cell.mode);
  const place = await contender.create(servers);
  const queue = await contender.join(servers, place);
  const crew = createCrew({ ...cell, concurrency: settings.concurrency, servers, place });
  try {
    await crew.startBusy(cell.processes, (count) => progress(`${count} processes`));
    await warmUp(crew.busy, queue, settings.warmUp[cell.mode], progress);
    await crew.startIdle(cell.idle, (count) => progress(`${count} idle processes`));
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
    await crew.end();
    await queue.close();
    await contender.remove(servers, place);
  }
}

/** One process after the other, so that each runs the same number of jobs. */
async function warmUp(
  busy: readonly Member[],
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
