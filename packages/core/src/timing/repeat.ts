import type { Clock } from "../ports/clock.ts";
import { createWakeUp } from "./wake-up.ts";

/** Work that comes again and again. */
export interface Repeat {
  /** The first time comes after a while. */
  start(firstMs: number): void;
  /** No other time comes. Resolves when the work under way has ended. */
  stop(): Promise<void>;
}

/** What the work can ask of what repeats it. */
export interface Repeating {
  readonly stopped: boolean;
  /** Sleeps, but not beyond the stop. */
  pause(ms: number): Promise<void>;
}

/** Runs `work`, which must not reject, and again as long after its end as it returns, on a timer of its own. */
export function createRepeat(clock: Clock, work: (repeating: Repeating) => Promise<number>): Repeat {
  const sleeping = createWakeUp(clock);
  let stopped = false;
  let running: Promise<void> | undefined;
  const repeating: Repeating = {
    get stopped() {
      return stopped;
    },
    pause: (ms) => (stopped ? Promise.resolve() : sleeping.pause(ms)),
  };
  const run = async (firstMs: number): Promise<void> => {
    if (firstMs > 0) await repeating.pause(firstMs);
    while (!repeating.stopped) await repeating.pause(await work(repeating));
  };
  return {
    start(firstMs) {
      running ??= run(firstMs);
    },
    async stop() {
      stopped = true;
      sleeping.interrupt();
      await running;
    },
  };
}
