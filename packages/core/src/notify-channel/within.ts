import { ChainwrightError } from "../model/error.ts";
import type { Clock } from "../ports/clock.ts";
import { setAnswerLimit } from "./answer-limit.ts";

export interface Limit {
  readonly clock: Clock;
  readonly limitMs: number;
  /** For the error: "publishing hints". */
  readonly what: string;
}

/** Returns what the call brings, or rejects with `timeout` and aborts the call's signal; what comes of it later is dropped. */
export async function within<T>(
  { clock, limitMs, what }: Limit,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const aborted = new AbortController();
  const over = Promise.withResolvers<never>();
  const limit = setAnswerLimit(clock, limitMs, () => {
    const error = new ChainwrightError("timeout", `${what} took longer than ${limitMs} ms.`);
    aborted.abort(error);
    over.reject(error);
  });
  try {
    return await Promise.race([call(aborted.signal), over.promise]);
  } finally {
    limit.cancel();
  }
}
