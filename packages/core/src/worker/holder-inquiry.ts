import type { LockHolder } from "../model/lock-holder.ts";
import type { Engine } from "../engine/engine.ts";
import { createTimeLimit } from "../timing/time-limit.ts";

/** Asks the store which transactions its calls wait for. The question is expensive: callers that ask at the same time share it. */
export interface HolderInquiry {
  /** Empty: the store does not report them, or not in time. Never rejects. */
  ask(): Promise<readonly LockHolder[]>;
  /** The latest reply. */
  last(): readonly LockHolder[];
}

/** The store shows a waiting call only once the call has begun to wait. */
const untilItWaitsMs = 100;
/** The event of an outcome that is held up waits for the reply. */
const limitMs = 5_000;

export function createHolderInquiry({
  state,
  clock,
  callOptions,
}: Pick<Engine, "state" | "clock" | "callOptions">): HolderInquiry {
  const timeLimit = createTimeLimit(clock, { limitMs, who: "the store" });
  let last: readonly LockHolder[] = [];
  let underWay: Promise<readonly LockHolder[]> | undefined;

  const inquire = async (): Promise<readonly LockHolder[]> => {
    await new Promise<void>((resolve) => void clock.setTimer(resolve, untilItWaitsMs));
    last = await timeLimit(async () => (await state.lockHolders?.(callOptions())) ?? []).catch(() => []);
    underWay = undefined;
    return last;
  };
  return {
    ask: () => (underWay ??= inquire()),
    last: () => last,
  };
}
