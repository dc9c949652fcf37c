import { backoffMs } from "../model/backoff.ts";
import { isChainwrightError } from "../model/error.ts";
import type { Clock } from "../ports/clock.ts";
import type { StateAdapter } from "../ports/state.ts";

/** Deadlocks and serialization failures pass: a handful of tries within about a second. */
const conflictTries = 8;
const conflictBackoff = { initialMs: 2, multiplier: 2, maxMs: 500, jitter: 0.5 };

/** Runs again what lost a race in the store. Only for transactions that the library opened itself. */
export async function retryConflicts<T>(state: StateAdapter, clock: Clock, run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      if (tries >= conflictTries || !state.isConflict(error)) throw error;
      const delayMs = backoffMs(conflictBackoff, tries, clock.random());
      await new Promise<void>((resolve) => void clock.setTimer(resolve, delayMs));
    }
  }
}

/**
 * Keeps one caller's bad luck from its neighbours: when a batch fails, its items are sent one by one. Not where the store is
 * out of reach, for then the batch may have been written, or will fail again.
 */
export function sendEachAlone<Item, Result>(
  send: (items: readonly Item[]) => Promise<readonly Result[]>,
): (items: readonly Item[]) => Promise<readonly (Result | Promise<Result>)[]> {
  return async (items) => {
    try {
      return await send(items);
    } catch (error) {
      if (items.length === 1 || isChainwrightError(error)) throw error;
      return items.map((item) => sendOne(send, item));
    }
  };
}

/** Sends one item without any others. */
export async function sendOne<Item, Result>(
  send: (items: readonly Item[]) => Promise<readonly Result[]>,
  item: Item,
): Promise<Result> {
  const [result] = await send([item]);
  if (result === undefined) throw new TypeError("expected 1 result, got none");
  return result;
}
