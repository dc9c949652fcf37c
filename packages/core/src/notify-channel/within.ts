import { ChainwrightError } from "../model/error.ts";
import type { Clock } from "../ports/clock.ts";

export interface Limit {
  readonly clock: Clock;
  readonly limitMs: number;
  /** For the error: "publishing hints". */
  readonly what: string;
}

/** What the promise brings, or a rejection with `timeout`; what comes of it later goes unheard. */
export function within<T>({ clock, limitMs, what }: Limit, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(
      () => reject(new ChainwrightError("timeout", `${what} took longer than ${limitMs} ms.`)),
      limitMs,
    );
    promise.then(resolve, reject).finally(() => timer.cancel());
  });
}
