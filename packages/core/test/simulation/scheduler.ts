import type { Clock } from "../../src/ports/clock.ts";
import { createRandom } from "../../src/testing/random.ts";

/** The one source of order in a simulated run: time, turns and chance all follow from the seed. */
export interface Scheduler {
  readonly random: () => number;
  /** The true time, which is also the store's. */
  now(): number;
  /** A clock of one process, wrong by `skewMs`; after `kill` nothing that waited on it goes on. */
  clock(skewMs: number): ProcessClock;
  /** Runs one thing that is due, or lets time pass up to the next; answers false when nothing waits. */
  step(): Promise<boolean>;
}

export interface ProcessClock extends Clock {
  kill(): void;
}

interface Entry {
  readonly at: number;
  readonly owner: object;
  readonly callback: () => void;
}

const startAt = Date.UTC(2030, 0, 1);

export function createScheduler(seed: number): Scheduler {
  const random = createRandom(seed);
  const entries = new Set<Entry>();
  let now = startAt;

  const add = (owner: object, delayMs: number, callback: () => void): Entry => {
    const entry = { at: now + Math.max(0, delayMs), owner, callback };
    entries.add(entry);
    return entry;
  };
  const due = (): Entry[] => {
    let earliest = Infinity;
    for (const entry of entries) earliest = Math.min(earliest, entry.at);
    now = Math.max(now, earliest === Infinity ? now : earliest);
    return [...entries].filter((entry) => entry.at <= now);
  };

  return {
    random,
    now: () => now,
    clock(skewMs) {
      const owner = {};
      let dead = false;
      return {
        // The store has the true time; this clock is only this process's opinion.
        virtual: false,
        now: () => now + skewMs,
        random,
        randomBytes(bytes) {
          for (let index = 0; index < bytes.length; index += 1) bytes[index] = Math.floor(random() * 256);
          return bytes;
        },
        setTimer(callback, delayMs) {
          if (dead) return { cancel: () => undefined };
          const entry = add(owner, delayMs, callback);
          return { cancel: () => void entries.delete(entry) };
        },
        yield: () => new Promise((resolve) => (dead ? undefined : void add(owner, 0, resolve))),
        kill() {
          dead = true;
          for (const entry of entries) if (entry.owner === owner) entries.delete(entry);
        },
      };
    },
    async step() {
      await flush();
      const runnable = due();
      const entry = runnable[Math.floor(random() * runnable.length)];
      if (entry === undefined) return false;
      entries.delete(entry);
      entry.callback();
      return true;
    },
  };
}

/** Everything here runs on promises alone, so one turn of the event loop sees all of it through. */
export function flush(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
