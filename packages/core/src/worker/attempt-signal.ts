import type { ChainwrightError } from "../model/error.ts";

/**
 * Tells a handler to stop. The AbortSignal is made when a handler first asks for it: most never do. No getters: an object with
 * getters of its own takes V8 0.8 us to make, a tenth of what a job costs.
 */
export interface AttemptSignal {
  signal(): AbortSignal;
  /** Why the attempt was told to stop; undefined while it was not. */
  reason(): ChainwrightError | undefined;
  abort(reason: ChainwrightError): void;
}

export function createAttemptSignal(): AttemptSignal {
  let controller: AbortController | undefined;
  let reason: ChainwrightError | undefined;
  return {
    signal() {
      if (controller === undefined) {
        controller = new AbortController();
        if (reason !== undefined) controller.abort(reason);
      }
      return controller.signal;
    },
    reason: () => reason,
    abort(why) {
      if (reason !== undefined) return;
      reason = why;
      controller?.abort(why);
    },
  };
}
