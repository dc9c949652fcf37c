import type { Clock } from "chainwright";

/** A clock for client, worker and store that runs faster than the real one. */
export interface HurriedClock extends Clock {
  /** Stops all of its timers. */
  stop(): void;
}

/** One clock for several processes, one after the other. */
export interface Time {
  /** Milliseconds since 1970. */
  readonly beganAt: number;
  /** The value of `performance.now` at that time. */
  readonly originMs: number;
  aheadMs: number;
}

export function createTime(): Time {
  return { beganAt: Date.now(), originMs: performance.now(), aheadMs: 0 };
}

const factor = 20;

export function createHurriedClock(time: Time): HurriedClock {
  let stopped = false;
  return {
    virtual: true,
    now: () => Math.floor(time.beganAt + (performance.now() - time.originMs) * factor + time.aheadMs),
    setTimer(callback, delayMs) {
      const fire = () => {
        if (!stopped) callback();
      };
      const handle = setTimeout(fire, Math.min(delayMs / factor, 2 ** 30));
      return { cancel: () => clearTimeout(handle) };
    },
    yield: () => new Promise((resolve) => setImmediate(resolve)),
    random: () => Math.random(),
    randomBytes: (bytes) => crypto.getRandomValues(bytes),
    stop() {
      stopped = true;
    },
  };
}
