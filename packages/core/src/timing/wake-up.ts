import type { Clock } from "../ports/clock.ts";

/** Lets one loop sleep until somebody wakes it. A wake that comes while it is awake is kept for the next sleep. */
export interface WakeUp {
  wake(): void;
  /** Resolves when woken, or after a time; answers whether the time ran out. */
  wait(ms: number): Promise<boolean>;
  /** Sleeps out its time; only `interrupt` ends it early. */
  pause(ms: number): Promise<void>;
  interrupt(): void;
}

export function createWakeUp(clock: Clock): WakeUp {
  let woken = false;
  let onWake: (() => void) | undefined;
  let onInterrupt: (() => void) | undefined;

  const sleep = (ms: number, hold: (end: () => void) => void): Promise<boolean> =>
    new Promise((resolve) => {
      const timer = clock.setTimer(() => resolve(true), ms);
      hold(() => {
        timer.cancel();
        resolve(false);
      });
    });

  const wake = (): void => {
    if (onWake === undefined) woken = true;
    else onWake();
  };

  return {
    wake,
    async wait(ms) {
      if (!woken) {
        const timedOut = await sleep(ms, (end) => void (onWake = end));
        onWake = undefined;
        return timedOut;
      }
      woken = false;
      return false;
    },
    async pause(ms) {
      await sleep(ms, (end) => void (onInterrupt = end));
      onInterrupt = undefined;
    },
    interrupt() {
      onInterrupt?.();
      wake();
    },
  };
}
