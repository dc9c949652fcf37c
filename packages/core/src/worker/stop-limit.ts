import type { Clock, Timer } from "../ports/clock.ts";

/** The time that a stopping worker gives its handlers, and then itself. */
export interface StopLimit {
  /** Leaves it so many milliseconds from now on, if it had more. */
  shorten(limitMs: number): void;
  /** Resolves when that time and the time to hand in what is left are over. */
  readonly passed: Promise<void>;
  clear(): void;
}

/** How long a worker tries to hand in what is left when the time of its handlers is over. */
const handInTimeoutMs = 3_000;

/** @param onPassed called when the time of the handlers is over. */
export function createStopLimit(clock: Clock, onPassed: () => void): StopLimit {
  const { promise, resolve } = Promise.withResolvers<void>();
  let endsAt = Infinity;
  let timers: readonly Timer[] = [];
  const clear = (): void => {
    for (const timer of timers) timer.cancel();
  };
  return {
    passed: promise,
    shorten(limitMs) {
      if (clock.now() + limitMs >= endsAt) return;
      clear();
      endsAt = clock.now() + limitMs;
      timers = [clock.setTimer(onPassed, limitMs), clock.setTimer(resolve, limitMs + handInTimeoutMs)];
    },
    clear,
  };
}
