import { fsyncSync, closeSync, openSync, rmSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measure, median, type Figure } from "@chainwright/bench-measuring";
import type { Row } from "../row.ts";
import type { Settings } from "../settings.ts";
import { createWorkload } from "../workload.ts";

/** Starts from so many callers at once, and how long the event loop was blocked meanwhile. */
export interface SlowSyncLevel {
  readonly callers: number;
  readonly starts: Figure;
  /** Milliseconds between two turns of a timer of 1 ms. */
  readonly loopDelay: { readonly p50: number; readonly p99: number; readonly max: number };
}

export interface SlowSyncFigures {
  readonly name: string;
  /** A bare sync in this process, in milliseconds: the proof that the shim works. */
  readonly syncMs: number;
  readonly levels: readonly SlowSyncLevel[];
}

const callersOfLevels = [1, 10, 50, 100];
/** Starts of each caller: about four seconds at a sync of 4 ms. */
const startsOfCaller = { full: 1_000, smoke: 10 };

/** Measures starts on a disk with slow syncs. */
export async function measureSlowSync(
  row: Row,
  settings: Settings,
  progress: (step: string) => void,
): Promise<SlowSyncFigures> {
  const levels: SlowSyncLevel[] = [];
  for (const callers of callersOfLevels) {
    progress(`${callers} callers`);
    levels.push(await measureLevel(row, settings, callers));
  }
  return { name: row.name, syncMs: bareSyncMs(), levels };
}

async function measureLevel(row: Row, settings: Settings, callers: number): Promise<SlowSyncLevel> {
  const [point] = settings.points;
  if (point === undefined) throw new Error("there is nothing to measure");
  const open = await row.open(settings, {});
  const workload = createWorkload(open, { ...settings, ...point });
  const count = callers * (settings.smoke ? startsOfCaller.smoke : startsOfCaller.full);
  try {
    await workload.startConcurrent("value", Math.ceil(count / 10), callers);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const starts = await measure(count, open.serverCpu, () => workload.startConcurrent("value", count, callers));
    delay.disable();
    return {
      callers,
      starts,
      loopDelay: { p50: millis(delay.percentile(50)), p99: millis(delay.percentile(99)), max: millis(delay.max) },
    };
  } finally {
    await workload.close();
    await open.close();
  }
}

function millis(nanos: number): number {
  return nanos / 1e6;
}

function bareSyncMs(): number {
  const path = join(tmpdir(), `chainwright-slow-sync-${process.pid}`);
  const file = openSync(path, "w");
  try {
    return median(
      Array.from({ length: 11 }, () => {
        const startedAt = performance.now();
        fsyncSync(file);
        return performance.now() - startedAt;
      }),
    );
  } finally {
    closeSync(file);
    rmSync(path);
  }
}
