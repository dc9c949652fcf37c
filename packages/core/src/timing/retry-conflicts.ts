import { backoffMs } from "../model/backoff.ts";
import type { Clock } from "../ports/clock.ts";
import type { StateAdapter } from "../ports/state.ts";

/** Deadlocks and serialization failures are short: a few tries within about a second. */
const conflictTries = 8;
const conflictBackoff = { initialMs: 2, multiplier: 2, maxMs: 500, jitter: 0.5 };

/** Retries a call that lost a race in the store. Only for transactions that the library opens itself. */
export async function retryConflicts<T>(
  state: StateAdapter,
  clock: Clock,
  run: (tries: number) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run(tries);
    } catch (error) {
      if (tries >= conflictTries || !state.isConflict(error)) throw error;
      const delayMs = backoffMs(conflictBackoff, tries, clock.random());
      await new Promise<void>((resolve) => void clock.setTimer(resolve, delayMs));
    }
  }
}
