import type { Clock } from "../../src/ports/clock.ts";

type Random = () => number;

/** The one source of order in a simulated run: time and turns follow from the seed. */
export interface Scheduler {
  /** The true time, which is also the store's. */
  now(): number;
  /** A clock of one process, wrong by `skewMs`; after `kill` nothing that waited on it continues. */
  clock(skewMs: number, random: Random): ProcessClock;
  /** Runs one thing that is due, or lets time pass up to the next one; returns false if nothing waits. */
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

export function createScheduler(random: Random): Scheduler {
  const entries = new Set<Entry>();
  let now = startAt;

  const add = (owner: object, delayMs: number, callback: () => void): Entry => {
    const entry = { at: now + Math.max(0, delayMs), owner, callback };
    entries.add(entry);
    return entry;
  };
  const due = (): readonly Entry[] => {
    const { at, entries: found } = next(entries, now);
    if (found.length > 0) now = at;
    return found;
  };

  return {
    now: () => now,
    clock(skewMs, own) {
      const owner = {};
      let dead = false;
      return {
        // The store has the true time; this clock may be wrong.
        virtual: false,
        now: () => now + skewMs,
        random: own,
        randomBytes(bytes) {
          for (let index = 0; index < bytes.length; index += 1) bytes[index] = Math.floor(own() * 256);
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

/** The entries that are due now, or else the earliest ones; empty if nothing waits. */
function next(all: Iterable<Entry>, now: number): { readonly at: number; readonly entries: readonly Entry[] } {
  let earliest = Infinity;
  let found: Entry[] = [];
  for (const entry of all) {
    const at = Math.max(entry.at, now);
    if (at < earliest) {
      earliest = at;
      found = [entry];
    } else if (at === earliest) {
      found.push(entry);
    }
  }
  return { at: earliest, entries: found };
}

/** Everything here uses only promises, so it has finished after one turn of the event loop. */
export function flush(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
