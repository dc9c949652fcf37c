import type { ChainwrightError } from "../model/error.ts";

/** Tells a handler to stop. The AbortSignal is made when a handler first asks for it: most never do. */
export interface AttemptSignal {
  readonly signal: AbortSignal;
  /** Why the attempt was told to stop; undefined while it was not. */
  readonly reason: ChainwrightError | undefined;
  abort(reason: ChainwrightError): void;
}

export function createAttemptSignal(): AttemptSignal {
  let controller: AbortController | undefined;
  let reason: ChainwrightError | undefined;
  return {
    get signal() {
      if (controller === undefined) {
        controller = new AbortController();
        if (reason !== undefined) controller.abort(reason);
      }
      return controller.signal;
    },
    get reason() {
      return reason;
    },
    abort(why) {
      if (reason !== undefined) return;
      reason = why;
      controller?.abort(why);
    },
  };
}
