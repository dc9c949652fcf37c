import type { Engine } from "../engine/engine.ts";
import type { Timer } from "../ports/clock.ts";

/**
 * Notices that the event loop was blocked for so long that leases are at risk. It measures from when the worker holds jobs until a beat
 * after it holds none: an idle worker has no timer for it, because that was the most frequent thing that idle processes did.
 */
export interface LoopLag {
  /** Called before the worker takes in jobs. */
  start(): void;
  stop(): void;
  /** Measures now: before outcomes are handed in, and before leases are dropped. */
  check(): void;
  /** How long the event loop was blocked while this worker held the job; undefined: it was not. */
  blockedMs(jobId: string): number | undefined;
}

interface LoopLagOptions {
  readonly engine: Pick<Engine, "clock" | "events">;
  readonly workerId: string;
  /** The worker's shortest lease. */
  readonly leaseMs: number;
  /** The ids of the jobs that the worker holds. */
  readonly heldJobs: () => Iterable<string>;
}

/** The most jobs that are remembered; the oldest are forgotten. */
const mostRemembered = 1_000;
const [shortestBeatMs, longestBeatMs, beatsPerLease] = [20, 1_000, 15];

export function createLoopLag({ engine, workerId, leaseMs, heldJobs }: LoopLagOptions): LoopLag {
  const { clock, events } = engine;
  const beatMs = Math.min(longestBeatMs, Math.max(shortestBeatMs, leaseMs / beatsPerLease));
  const blocked = new Map<string, number>();
  let lastBeat: number | undefined;
  let timer: Timer | undefined;

  const remember = (blockedMs: number): void => {
    for (const jobId of heldJobs()) {
      blocked.delete(jobId);
      blocked.set(jobId, blockedMs);
    }
    for (const jobId of blocked.keys()) {
      if (blocked.size <= mostRemembered) break;
      blocked.delete(jobId);
    }
  };
  const check = (): void => {
    if (lastBeat === undefined) return;
    const now = performance.now();
    const blockedMs = Math.round(now - lastBeat - beatMs);
    lastBeat = now;
    if (blockedMs <= leaseMs / 3) return;
    remember(blockedMs);
    events.record([{ type: "event-loop-blocked", workerId, blockedMs, leaseMs }], undefined);
  };
  const stop = (): void => {
    timer?.cancel();
    timer = undefined;
    lastBeat = undefined;
  };
  const beat = (): void => {
    check();
    if (isEmpty(heldJobs())) stop();
    else timer = clock.setTimer(beat, beatMs);
  };

  return {
    start() {
      // In virtual time leases do not run out while a handler computes.
      if (clock.virtual || timer !== undefined) return;
      lastBeat = performance.now();
      timer = clock.setTimer(beat, beatMs);
    },
    stop,
    check,
    blockedMs: (jobId) => blocked.get(jobId),
  };
}

function isEmpty(items: Iterable<unknown>): boolean {
  for (const _ of items) return false;
  return true;
}
