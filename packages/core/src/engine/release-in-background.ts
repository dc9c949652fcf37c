import { backoffMs } from "../model/backoff.ts";
import type { ChainEvent } from "../model/event.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import type { CallOptions } from "../ports/call.ts";
import type { StateAdapter } from "../ports/state.ts";
import { consequenceEvents } from "./job-events.ts";
import { retryConflicts } from "../timing/retry-conflicts.ts";

/**
 * Releases, step by step, the jobs that wait for chains which this process has ended. This only saves time: the remaining releases
 * are stored, and each exchange of any worker does one step of them, so this process may end at any time.
 */
export interface BackgroundRelease {
  /** There are jobs to release. */
  begin(): void;
  /** Resolves when the step under way has ended; no further step begins. */
  close(): Promise<void>;
}

export interface BackgroundReleaseOptions {
  readonly state: StateAdapter;
  readonly clock: Clock;
  readonly callOptions: () => CallOptions<unknown>;
  readonly record: (events: readonly ChainEvent[]) => void;
}

/** Locked rows are tried again soon at first, because most transactions are short. */
const lockedBackoff = { initialMs: 20, multiplier: 2, maxMs: 1_000, jitter: 0.2 };

interface State {
  isWanted: boolean;
  isClosed: boolean;
  running: Promise<void> | undefined;
  timer: Timer | undefined;
  /** Successive steps that found all rows locked. */
  locked: number;
}

export function createBackgroundRelease(options: BackgroundReleaseOptions): BackgroundRelease {
  const state: State = { isWanted: false, isClosed: false, running: undefined, timer: undefined, locked: 0 };
  const begin = (): void => {
    state.isWanted = true;
    if (state.isClosed || state.running !== undefined) return;
    state.timer?.cancel();
    // While the store is away this stops; the first exchange that succeeds continues the release.
    state.running = run(options, state, begin)
      .catch(() => undefined)
      .finally(() => {
        state.running = undefined;
      });
  };
  return {
    begin,
    async close() {
      state.isClosed = true;
      state.timer?.cancel();
      await state.running;
    },
  };
}

async function run(options: BackgroundReleaseOptions, state: State, begin: () => void): Promise<void> {
  const { clock } = options;
  while (state.isWanted && !state.isClosed) {
    state.isWanted = false;
    const found = await step(options);
    state.locked = found === "locked" ? state.locked + 1 : 0;
    if (found === "more") state.isWanted = true;
    if (found === "locked" && !state.isClosed) {
      state.timer?.cancel();
      state.timer = clock.setTimer(begin, backoffMs(lockedBackoff, state.locked, clock.random()));
    }
    // Other work gets its turn between two steps.
    await clock.yield();
  }
}

async function step({
  state,
  clock,
  callOptions,
  record,
}: BackgroundReleaseOptions): Promise<"more" | "locked" | "done"> {
  const exchange = () => state.exchange({ outcomes: [], claim: undefined }, callOptions());
  const { released, nextDueInMs } = await retryConflicts(state, clock, exchange);
  record(consequenceEvents(released));
  if (released.releasing) return "more";
  return nextDueInMs === undefined ? "done" : "locked";
}
