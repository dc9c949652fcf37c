import { ChainwrightError } from "../model/error.ts";
import type { Clock } from "../ports/clock.ts";
import { withLimit } from "../timing/time-limit.ts";
import { setReplyLimit } from "./reply-limit.ts";

export interface Limit {
  readonly clock: Clock;
  readonly limitMs: number;
  /** The name of the call in the error: "publishing hints". */
  readonly what: string;
}

/** Returns the result of a call, or rejects with `timeout` and aborts the call's signal. A later result of the call is ignored. */
export async function within<T>(
  { clock, limitMs, what }: Limit,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const aborted = new AbortController();
  return await withLimit(async () => await call(aborted.signal), {
    setTimer: (onOver) => setReplyLimit(clock, limitMs, onOver),
    error() {
      const error = new ChainwrightError("timeout", `${what} took longer than ${limitMs} ms.`);
      aborted.abort(error);
      return error;
    },
  });
}
