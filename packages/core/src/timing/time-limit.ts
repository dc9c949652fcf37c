import { ChainwrightError } from "../model/error.ts";
import type { Clock } from "../ports/clock.ts";

/**
 * Calls something that may never answer: a connection can be half open, with nobody at the other end to say so. After a time
 * it counts as out of reach, and its caller goes on. When it ends at last, `onLate` is called with what it brought; with
 * undefined if it failed.
 */
export type Patience = <T>(call: () => Promise<T>, onLate?: (value: T | undefined) => void) => Promise<T>;

export interface PatienceOptions {
  /** How long an answer may take, in milliseconds. */
  readonly limitMs: number;
  /** For the error: "the store". */
  readonly who: string;
  /** Calls given up but not ended, each of which may hold a connection: while there are so many, no more are made. Default 3. */
  readonly mostGivenUp?: number;
}

export function createPatience(clock: Clock, { limitMs, who, mostGivenUp = 3 }: PatienceOptions): Patience {
  let givenUp = 0;
  const silent = (): ChainwrightError =>
    new ChainwrightError("store-unavailable", `${who} has not answered within ${limitMs} ms.`);

  return (call, onLate) => {
    if (givenUp >= mostGivenUp) return Promise.reject(silent());
    return new Promise((resolve, reject) => {
      let late = false;
      const timer = clock.setTimer(() => {
        late = true;
        givenUp += 1;
        reject(silent());
      }, limitMs);
      const end = (): boolean => {
        if (late) givenUp -= 1;
        else timer.cancel();
        return late;
      };
      call().then(
        (value) => {
          if (end()) onLate?.(value);
          else resolve(value);
        },
        (error: unknown) => {
          if (end()) onLate?.(undefined);
          else reject(error);
        },
      );
    });
  };
}
