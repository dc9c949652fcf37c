import { cancelEvents } from "../operations/cancel-chains.ts";
import type { Engine } from "../engine/engine.ts";
import { createRepeat } from "../timing/repeat.ts";
import type { ChoreFailures } from "./chore-failures.ts";

/** Cancels chains whose deadline has passed. It sends no statement while the store has no deadline. */
export interface DeadlineChore {
  start(): void;
  /** The reply of a heartbeat: whether the store has deadlines. */
  note(hasDeadlines: boolean): void;
  /** A chain with a deadline was started. */
  hear(inMs: number): void;
  stop(): Promise<void>;
}

/** After a look that failed. */
const againMs = 1_000;
/** No timer of the runtime is longer than 24 days. */
const longestWaitMs = 3_600_000;

export function createDeadlineChore(
  { state, clock, events, callOptions }: Engine,
  { workerId, failures }: { readonly workerId: string; readonly failures: ChoreFailures },
): DeadlineChore {
  let lookAt = Infinity;
  /** Whether a look has found when the next deadline is. */
  let isKnown = false;
  // It claims no job: the slots may all be busy when a deadline passes.
  const claim = { workerId, types: [], limit: 1, deadlines: true } as const;

  const repeat = createRepeat(clock, async () => {
    const wait = lookAt - clock.now();
    if (wait > 0) return Math.min(wait, longestWaitMs);
    lookAt = Infinity;
    // The reply says how long to wait from a moment after this one. It may take long to arrive.
    const askedAt = clock.now();
    const next = await failures.attempt("deadlines", async () => {
      const { expired = [], nextDueInMs } = await state.exchange({ outcomes: [], claim }, callOptions());
      events.record(expired.flatMap(cancelEvents), undefined);
      isKnown = nextDueInMs !== undefined;
      return nextDueInMs ?? Infinity;
    });
    lookAt = Math.min(lookAt, next === undefined ? clock.now() + againMs : askedAt + next);
    return Math.min(Math.max(0, lookAt - clock.now()), longestWaitMs);
  });
  const lookBy = (moment: number): void => {
    if (moment >= lookAt) return;
    lookAt = moment;
    repeat.hurry();
  };

  return {
    start: () => repeat.start(longestWaitMs),
    note(hasDeadlines) {
      if (!hasDeadlines) isKnown = false;
      else if (!isKnown) lookBy(clock.now());
    },
    hear: (inMs) => lookBy(clock.now() + inMs),
    stop: () => repeat.stop(),
  };
}
