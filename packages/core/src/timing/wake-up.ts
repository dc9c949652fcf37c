import type { Clock } from "../ports/clock.ts";

/** Lets one loop sleep until it is woken. A wake while the loop is awake ends its next sleep at once. */
export interface WakeUp {
  wake(): void;
  /** Resolves when woken, or after a time; returns whether the time ran out. */
  wait(ms: number): Promise<boolean>;
  /** Sleeps for the whole time; only `interrupt` ends it early. */
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
