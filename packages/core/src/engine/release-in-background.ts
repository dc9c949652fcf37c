import { backoffMs } from "../model/backoff.ts";
import type { ChainEvent } from "../model/event.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import type { CallOptions, StateAdapter } from "../ports/state.ts";
import { consequenceEvents } from "./job-events.ts";
import { retryConflicts } from "../timing/retry-conflicts.ts";

/**
 * Releases, step by step, the jobs that wait for chains which this process has ended. It only makes things faster: what is
 * left to release is stored, and each exchange of any worker carries on one step of it, so this process may end at any time.
 */
export interface CarryOn {
  /** There is something to carry on. */
  begin(): void;
  /** Resolves when the step under way has ended; no other one follows. */
  close(): Promise<void>;
}

export interface CarryOnOptions {
  readonly state: StateAdapter;
  readonly clock: Clock;
  readonly callOptions: () => CallOptions<unknown>;
  readonly record: (events: readonly ChainEvent[]) => void;
}

/** What somebody has locked is tried again soon at first: most transactions are short. */
const lockedBackoff = { initialMs: 20, multiplier: 2, maxMs: 1_000, jitter: 0.2 };

interface State {
  isWanted: boolean;
  isClosed: boolean;
  running: Promise<void> | undefined;
  timer: Timer | undefined;
  /** Steps one after the other that found everything locked. */
  locked: number;
}

export function createCarryOn(options: CarryOnOptions): CarryOn {
  const state: State = { isWanted: false, isClosed: false, running: undefined, timer: undefined, locked: 0 };
  const begin = (): void => {
    state.isWanted = true;
    if (state.isClosed || state.running !== undefined) return;
    state.timer?.cancel();
    // Where the store is away, the first exchange that reaches it again carries on.
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

async function run(options: CarryOnOptions, state: State, begin: () => void): Promise<void> {
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
    // Others have their turn between two steps.
    await clock.yield();
  }
}

async function step({ state, clock, callOptions, record }: CarryOnOptions): Promise<"more" | "locked" | "done"> {
  const exchange = () => state.exchange({ outcomes: [], claim: undefined }, callOptions());
  const { released, nextDueInMs } = await retryConflicts(state, clock, exchange);
  record(consequenceEvents(released));
  if (released.releasing) return "more";
  return nextDueInMs === undefined ? "done" : "locked";
}
