import { createTimeLimit, type TimeLimit } from "../timing/time-limit.ts";
import type { Engine } from "../engine/engine.ts";
import { allChores, type Chore } from "../model/chore.ts";
import type { Repeating } from "../timing/repeat.ts";
import type { ChoreFailures } from "./chore-failures.ts";

export interface Retention {
  readonly completedMs: number | undefined;
  readonly failedMs: number | undefined;
}

interface RoundOptions {
  readonly workerId: string;
  readonly failures: ChoreFailures;
  readonly retention: Retention;
}

interface ChoreState {
  readonly chore: Chore;
  /** Each chore has its own limit: one that hangs must not delay the others. */
  readonly timeLimit: TimeLimit;
  limit: number;
}

/** The most rows of one pass, which is one transaction. */
const mostInPass = 1_000;
/** A pass that fails may have been too large, for example for a `statement_timeout`: the next one does less. */
const leastInPass = 10;
/** A call that takes longer has failed: its connection may be dead. */
const replyLimitMs = 30_000;
/** The longest pause between two passes. */
const longestPauseMs = 5_000;

/** Makes one round through all chores, until none has more to do. Resolves to whether any needed more than one pass. */
export function createMaintainRound(
  { state, clock, events, callOptions }: Pick<Engine, "state" | "clock" | "events" | "callOptions">,
  { workerId, failures, retention }: RoundOptions,
): (repeating: Repeating) => Promise<boolean> {
  const states: readonly ChoreState[] = allChores.map((chore) => ({
    chore,
    timeLimit: createTimeLimit(clock, { limitMs: replyLimitMs, who: "the store", mostGivenUp: 1 }),
    limit: mostInPass,
  }));

  const pass = async (each: ChoreState): Promise<boolean> => {
    const { chore, limit, timeLimit } = each;
    const reply = await failures.attempt(chore, () =>
      timeLimit(() => state.maintain({ chore, ...retention, limit }, callOptions())),
    );
    const jobs = reply?.repaired ?? 0;
    if (jobs > 0) events.record([{ type: "limit-repaired", workerId, jobs }], undefined);
    each.limit = reply === undefined ? Math.max(leastInPass, limit >> 2) : Math.min(mostInPass, limit * 2);
    return reply?.more === true;
  };

  return async (repeating) => {
    let left = states;
    let busy = false;
    while (left.length > 0) {
      const again: ChoreState[] = [];
      for (const each of left) {
        if (repeating.stopped) return busy;
        const began = clock.now();
        if (!(await pass(each))) continue;
        again.push(each);
        // Maintenance takes at most half of the time, because the store has other work.
        await repeating.pause(Math.min(longestPauseMs, Math.max(0, clock.now() - began)));
      }
      busy ||= again.length > 0;
      left = again;
    }
    return busy;
  };
}
