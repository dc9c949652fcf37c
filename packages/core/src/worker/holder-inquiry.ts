import type { LockHolder } from "../model/lock-holder.ts";
import type { Engine } from "../engine/engine.ts";

/** Asks the store whose transactions its calls wait for. The question is not cheap: those who ask at the same time share it. */
export interface HolderInquiry {
  /** Empty: the store does not say. Never rejects. */
  ask(): Promise<readonly LockHolder[]>;
  /** What it said last. */
  last(): readonly LockHolder[];
}

/** A call that waits shows in the store only once it has begun to wait. */
const untilItWaitsMs = 100;

export function createHolderInquiry({ state, clock, callOptions }: Engine): HolderInquiry {
  let last: readonly LockHolder[] = [];
  let underWay: Promise<readonly LockHolder[]> | undefined;

  const inquire = async (): Promise<readonly LockHolder[]> => {
    await new Promise<void>((resolve) => void clock.setTimer(resolve, untilItWaitsMs));
    last = (await state.lockHolders?.(callOptions()).catch(() => [])) ?? [];
    underWay = undefined;
    return last;
  };
  return {
    ask: () => (underWay ??= inquire()),
    last: () => last,
  };
}
