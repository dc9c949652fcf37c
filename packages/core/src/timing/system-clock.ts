import type { Clock } from "../ports/clock.ts";

/** The longest delay that `setTimeout` takes; a longer one would fire at once. */
const longestDelayMs = 2 ** 31 - 1;

/** How many random bytes are read from the system at a time: one read costs as much as the ids of a whole batch. */
const poolBytes = 4_096;

/**
 * The real time, real timers and the system's randomness.
 *
 * @example
 * const system = createSystemClock();
 * const hourAhead: Clock = { ...system, now: () => system.now() + 3_600_000 };
 */
export function createSystemClock(): Clock {
  const pool = new Uint8Array(poolBytes);
  let used = poolBytes;
  return {
    virtual: false,
    now: () => Date.now(),
    setTimer(callback, delayMs) {
      let handle: NodeJS.Timeout | undefined;
      const wait = (leftMs: number): void => {
        const partMs = Math.min(leftMs, longestDelayMs);
        handle = setTimeout(() => (partMs < leftMs ? wait(leftMs - partMs) : callback()), Math.max(0, partMs));
      };
      wait(delayMs);
      return { cancel: () => clearTimeout(handle) };
    },
    yield: () => new Promise((resolve) => setImmediate(resolve)),
    random: () => Math.random(),
    randomBytes(bytes) {
      if (bytes.length > poolBytes) return crypto.getRandomValues(bytes);
      if (used + bytes.length > poolBytes) {
        crypto.getRandomValues(pool);
        used = 0;
      }
      bytes.set(pool.subarray(used, used + bytes.length));
      used += bytes.length;
      return bytes;
    },
  };
}
