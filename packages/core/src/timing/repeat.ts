import type { Clock } from "../ports/clock.ts";
import { createWakeUp } from "./wake-up.ts";

/** Work that is repeated. */
export interface Repeat {
  /** Begins after `firstMs`. */
  start(firstMs: number): void;
  /** The work does not begin again. Resolves when the work under way has ended. */
  stop(): Promise<void>;
}

/** What the work can use while it runs. */
export interface Repeating {
  readonly stopped: boolean;
  /** Sleeps until the time is over or the repetition is stopped. */
  pause(ms: number): Promise<void>;
}

/** Runs `work` again and again, each time after the pause that it returned, in milliseconds. It must not reject. */
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
