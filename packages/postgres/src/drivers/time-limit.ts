import type { ChainwrightError } from "chainwright";

/** The longest delay of a timer. */
const longestTimerMs = 2 ** 31 - 1;

export interface Limit {
  /** In milliseconds; Infinity means no limit. */
  readonly limitMs: number;
  /** Called when the limit is reached: releases what the call holds. Returns the error for the caller. */
  readonly giveUp: () => ChainwrightError;
}

/** Waits for a call for a limited time. A later result is ignored. */
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

/** How long to wait for the reply to a rollback. Without a reply the connection is busy or broken. */
export const rollbackLimitMs = 1_000;

/** Whether a promise resolves or rejects in time. */
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
