import type { Clock } from "chainwright";

/** A clock for client, worker and store alike that goes faster than the real one. */
export interface HurriedClock extends Clock {
  /** No timer of it fires any more. */
  stop(): void;
}

/** All that goes by one clock, life after life. */
export interface Time {
  /** Milliseconds since 1970. */
  readonly beganAt: number;
  /** What `performance.now` said then. */
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
