import type { Clock, Timer } from "../ports/clock.ts";

/** The time that a stopping worker gives to its handlers, and then to itself. */
export interface StopLimit {
  /** Sets the time for handlers to so many milliseconds from now on, if it was longer. */
  shorten(limitMs: number): void;
  /** Resolves when the time for handlers and the time to hand in their outcomes are over. */
  readonly passed: Promise<void>;
  clear(): void;
}

/** How long a worker tries to hand in outcomes after the time for its handlers. */
const handInTimeoutMs = 3_000;

/** @param onPassed called when the time for handlers is over. */
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
