import type { Clock } from "chainwright";

/** The part of a clock that the dashboard uses. */
export type DashboardClock = Pick<Clock, "now" | "setTimer">;

/** Real time. Its timers do not keep the process alive. */
export const systemClock: DashboardClock = {
  now: () => Date.now(),
  setTimer(callback, delayMs) {
    const timer = setTimeout(callback, Math.min(delayMs, 2 ** 31 - 1));
    timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
};
