import type { Clock } from "chainwright";

/** Real time, that can also leap ahead: what is due on the way falls due at once. */
export interface LeapingClock extends Clock {
  leap(ms: number): void;
}

interface Waiting {
  readonly at: number;
  readonly callback: () => void;
  handle: NodeJS.Timeout | undefined;
}

/** The longest delay that `setTimeout` takes. */
const longestDelayMs = 2 ** 31 - 1;

/**
 * A clock for stores of any kind: they answer in real time, so the clock runs in real time, and stands for the store's as well.
 */
export function createLeapingClock(): LeapingClock {
  const waiting = new Set<Waiting>();
  let leapt = 0;
  const now = (): number => Date.now() + leapt;

  const arm = (timer: Waiting): void => {
    const delayMs = Math.min(Math.max(0, timer.at - now()), longestDelayMs);
    timer.handle = setTimeout(() => (now() < timer.at ? arm(timer) : fire(timer)), delayMs);
  };
  const fire = (timer: Waiting): void => {
    clearTimeout(timer.handle);
    if (waiting.delete(timer)) timer.callback();
  };

  return {
    virtual: true,
    now,
    leap(ms) {
      leapt += ms;
      const inOrder = [...waiting].sort((left, right) => left.at - right.at);
      for (const timer of inOrder) {
        clearTimeout(timer.handle);
        if (timer.at <= now()) fire(timer);
        else if (waiting.has(timer)) arm(timer);
      }
    },
    setTimer(callback, delayMs) {
      const timer: Waiting = { at: now() + delayMs, callback, handle: undefined };
      waiting.add(timer);
      arm(timer);
      return {
        cancel() {
          clearTimeout(timer.handle);
          waiting.delete(timer);
        },
      };
    },
    yield: () => new Promise((resolve) => void setTimeout(resolve, 0)),
    random: () => Math.random(),
    randomBytes: (bytes) => globalThis.crypto.getRandomValues(bytes),
  };
}

/** Between two leaps: time enough for loops to lie down again. */
const breathMs = 20;

/** Leaps on until a promise has settled: for what happens after some time, whose timers nobody outside can see. The promise is one that gives up. */
export async function leapUntil<T>(clock: LeapingClock, stepMs: number, promise: Promise<T>): Promise<T> {
  const state = { settled: false };
  const settle = (): void => {
    state.settled = true;
  };
  promise.then(settle, settle);
  while (!state.settled) {
    clock.leap(stepMs);
    await new Promise((resolve) => void setTimeout(resolve, breathMs));
  }
  return promise;
}
