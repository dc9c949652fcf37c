import { ChainwrightError } from "../model/error.ts";
import type { Clock, Timer } from "../ports/clock.ts";

export interface Limit<T> {
  /** Sets the timer that ends the wait. */
  readonly setTimer: (onOver: () => void) => Timer;
  /** Makes the error with which the wait ends. */
  readonly error: () => ChainwrightError;
  /** Receives the result of a call that ended after the wait; undefined: the call failed. */
  readonly onLate?: ((value: T | undefined) => void) | undefined;
}

/** Waits for a call, but not longer than a limit. The call itself cannot be ended: what comes of it later goes to `onLate`. */
export function withLimit<T>(call: () => Promise<T>, { setTimer, error, onLate }: Limit<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const timer = setTimer(() => {
      isOver = true;
      reject(error());
    });
    call().then(
      (value) => {
        if (isOver) return onLate?.(value);
        timer.cancel();
        resolve(value);
      },
      (reason: unknown) => {
        if (isOver) return onLate?.(undefined);
        timer.cancel();
        reject(reason);
      },
    );
  });
}

/**
 * Calls an adapter, and waits for it no longer than a limit: a frozen server and a dead connection report no error. A call that
 * takes longer counts as unavailable. When it ends at last, `onLate` receives its result; undefined: it failed.
 */
export type TimeLimit = <T>(call: () => Promise<T>, onLate?: (value: T | undefined) => void) => Promise<T>;

export interface TimeLimitOptions {
  readonly limitMs: number;
  /** For the error: "the store". */
  readonly who: string;
  /** Calls that were given up and have not ended, each of which may hold a connection: the most before calls are refused. Default 3. */
  readonly mostGivenUp?: number;
}

export function createTimeLimit(clock: Clock, { limitMs, who, mostGivenUp = 3 }: TimeLimitOptions): TimeLimit {
  let givenUp = 0;
  const unavailable = (): ChainwrightError =>
    new ChainwrightError("store-unavailable", `${who} has not responded within ${limitMs} ms.`);
  const setTimer = (onOver: () => void): Timer => clock.setTimer(onOver, limitMs);

  return (call, onLate) => {
    if (givenUp >= mostGivenUp) return Promise.reject(unavailable());
    return withLimit(call, {
      setTimer,
      error() {
        givenUp += 1;
        return unavailable();
      },
      onLate(value) {
        givenUp -= 1;
        onLate?.(value);
      },
    });
  };
}
