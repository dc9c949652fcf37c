import { setTimeout as delay } from "node:timers/promises";

/** A time limit for calls that hang, on a machine with other work. */
const limitMs = 60_000;

/**
 * Runs something of the attack itself again and again until it succeeds. What the attack does to the store can hit its own
 * statements too: the disk is full, or the server has just been killed.
 */
export async function insist<T>(run: () => Promise<T>): Promise<T> {
  const until = Date.now() + limitMs;
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (Date.now() > until) throw error;
      await delay(100);
    }
  }
}
