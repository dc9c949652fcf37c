import type { Clock } from "chainwright";

/** Time as the dashboard uses it. */
export type DashboardClock = Pick<Clock, "now" | "setTimer">;

/** The real time. Its timers keep no process alive. */
export const systemClock: DashboardClock = {
  now: () => Date.now(),
  setTimer(callback, delayMs) {
    const timer = setTimeout(callback, Math.min(delayMs, 2 ** 31 - 1));
    timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
};
