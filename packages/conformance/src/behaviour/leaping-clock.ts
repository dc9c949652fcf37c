import type { Clock } from "chainwright";

/** Real time that can also leap ahead. Timers that fall due during the leap fire at once. */
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
 * A clock for stores of any kind. Stores reply in real time, so the clock runs in real time, and it also replaces the store's clock.
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

/** The pause between two leaps, in which loops come to rest again. */
const breathMs = 20;

/**
 * Leaps until a promise has settled, where a case cannot see the timers. The promise must have a time limit of its own. `replyMs`: where a
 * lease must not run out between two leaps, the time in which the reply to its renewal comes.
 */
export async function leapUntil<T>(clock: LeapingClock, stepMs: number, promise: Promise<T>, replyMs = 0): Promise<T> {
  const state = { settled: false };
  const settle = (): void => {
    state.settled = true;
  };
  const settled = promise.then(settle, settle);
  while (!state.settled) {
    clock.leap(stepMs);
    await pause(breathMs);
    await Promise.race([settled, pause(replyMs)]);
  }
  return promise;
}

async function pause(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => void setTimeout(resolve, ms));
}
