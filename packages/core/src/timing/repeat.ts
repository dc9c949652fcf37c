import type { Clock } from "../ports/clock.ts";
import { createWakeUp } from "./wake-up.ts";

/** Work that is repeated. */
export interface Repeat {
  /** Begins after `firstMs`. */
  start(firstMs: number): void;
  /** Ends the pause: the work begins at once, or again after the work under way. */
  hurry(): void;
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
    if (firstMs > 0) await sleeping.wait(firstMs);
    while (!repeating.stopped) await sleeping.wait(await work(repeating));
  };
  return {
    start(firstMs) {
      running ??= run(firstMs);
    },
    hurry: sleeping.wake,
    async stop() {
      stopped = true;
      sleeping.interrupt();
      await running;
    },
  };
}
