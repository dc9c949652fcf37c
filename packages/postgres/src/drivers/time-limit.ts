import type { ChainwrightError } from "chainwright";

/** The longest time that a timer takes. */
const longestTimerMs = 2 ** 31 - 1;

export interface Limit {
  /** In milliseconds; Infinity: none. */
  readonly limitMs: number;
  /** Called when the time is over: lets go of what the call holds. Returns what the caller is told. */
  readonly giveUp: () => ChainwrightError;
}

/** Waits for a call, for a limited time. What the call brings later is dropped. */
export async function within<T>(call: Promise<T>, { limitMs, giveUp }: Limit): Promise<T> {
  if (limitMs > longestTimerMs) return call;
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(giveUp()), limitMs);
  });
  try {
    return await Promise.race([call, passed]);
  } finally {
    clearTimeout(timer);
  }
}

/** After so many milliseconds a rollback that is not answered is not waited for: the connection is busy, or broken. */
export const rollbackLimitMs = 1_000;

/** Whether something settles in time, either way. */
export async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise: settled, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), ms);
  promise.then(
    () => resolve(true),
    () => resolve(true),
  );
  const inTime = await settled;
  clearTimeout(timer);
  return inTime;
}
