import type { Clock } from "../ports/clock.ts";
import { createRandom } from "./random.ts";
import { createSettling } from "./settling.ts";

/**
 * A clock that stops until a test advances it.
 *
 * @example
 * async function untilNothingIsPlanned(clock: VirtualClock, most: number): Promise<void> {
 *   for (let turn = 0; turn < most && (await clock.advanceToNextTimer()); turn += 1) await drain({ client });
 * }
 */
export interface VirtualClock extends Clock {
  /** Lets time pass, in milliseconds: timers fire in their order, each after all that the one before it set going. */
  advance(ms: number): Promise<void>;
  /**
   * Sets the time forward in one step, in milliseconds, as after a computer was asleep: each timer that is due then fires once, at
   * the new time. With a database this is faster than `advance`, in which an idle worker looks for work each minute. The leases of
   * handlers that run meanwhile may run out: let them end first, with `drain`.
   */
  jump(ms: number): Promise<void>;
  /** Advances the time to the next timer. Returns whether there was one. */
  advanceToNextTimer(): Promise<boolean>;
  /** Timers that wait. */
  readonly timers: number;
}

/**
 * What `createVirtualClock` takes; everything has a default.
 *
 * @example
 * const newYear: VirtualClockOptions = { startAt: new Date("2031-12-31T23:59:00Z"), seed: 42 };
 * const clock = createVirtualClock(newYear);
 * await clock.advance(60_000);
 */
export interface VirtualClockOptions {
  /** The time at first, in milliseconds since 1970. Default: 2030-01-01. */
  readonly startAt?: number | Date | undefined;
  /** What its random numbers, and so ids and jitter, follow from. Default 1. */
  readonly seed?: number | undefined;
}

interface WaitingTimer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

const defaultStart = Date.UTC(2030, 0, 1);

/**
 * A clock for tests: pass it to the state adapter and to the client, then let months pass in no time.
 *
 * @example
 * const clock = createVirtualClock();
 * const stateAdapter = createInProcessStateAdapter({ clock });
 * const client = createClient({ stateAdapter, jobTypes, clock });
 * await client.startChain({ typeName: "reminder.send", input: { to }, schedule: { afterMs: 30 * 24 * 3_600_000 } });
 * await clock.advance(30 * 24 * 3_600_000);
 * await drain({ client });
 */
export function createVirtualClock(options: VirtualClockOptions = {}): VirtualClock {
  const random = createRandom(options.seed ?? 1);
  const waiting = new Set<WaitingTimer>();
  const { holdDuring, settle } = createSettling();
  let now = Number(options.startAt ?? defaultStart);
  let order = 0;

  const next = (until: number): WaitingTimer | undefined => {
    let earliest: WaitingTimer | undefined;
    for (const timer of waiting) {
      if (timer.at <= until && (earliest === undefined || isBefore(timer, earliest))) earliest = timer;
    }
    return earliest;
  };
  const fire = async (timer: WaitingTimer): Promise<void> => {
    waiting.delete(timer);
    now = Math.max(now, timer.at);
    timer.callback();
    await settle();
  };

  return {
    virtual: true,
    now: () => now,
    random,
    randomBytes(bytes) {
      for (let index = 0; index < bytes.length; index += 1) bytes[index] = Math.floor(random() * 256);
      return bytes;
    },
    setTimer(callback, delayMs) {
      order += 1;
      const timer = { at: now + Math.max(0, delayMs), order, callback };
      waiting.add(timer);
      return { cancel: () => void waiting.delete(timer) };
    },
    holdDuring,
    yield: () => new Promise((resolve) => setImmediate(resolve)),
    async advance(ms) {
      const until = now + ms;
      await settle();
      for (let timer = next(until); timer !== undefined; timer = next(until)) await fire(timer);
      now = until;
    },
    async jump(ms) {
      await settle();
      now += ms;
      const until = now;
      for (let timer = next(until); timer !== undefined; timer = next(until)) await fire(timer);
    },
    async advanceToNextTimer() {
      await settle();
      const timer = next(Infinity);
      if (timer !== undefined) await fire(timer);
      return timer !== undefined;
    },
    get timers() {
      return waiting.size;
    },
  };
}

function isBefore(a: WaitingTimer, b: WaitingTimer): boolean {
  return a.at === b.at ? a.order < b.order : a.at < b.at;
}
