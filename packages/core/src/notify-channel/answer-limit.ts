import type { Clock, Timer } from "../ports/clock.ts";

/** A timer that fires this much too late shows that this process was busy. */
const busyMs = 200;

/**
 * Calls back when the other side has not answered in time. A process that was busy finds the timer due before it has read what arrived
 * meanwhile: that is its own lateness, so the time begins again, and what lies in the socket is read before the call.
 */
export function setAnswerLimit(clock: Clock, limitMs: number, onOver: () => void): Timer {
  let isCancelled = false;
  let timer: Timer;
  const begin = (): void => {
    const dueAt = clock.now() + limitMs;
    timer = clock.setTimer(() => (clock.now() - dueAt > busyMs ? begin() : void judge()), limitMs);
  };
  const judge = async (): Promise<void> => {
    await clock.yield();
    if (!isCancelled) onOver();
  };
  begin();
  return {
    cancel() {
      isCancelled = true;
      timer.cancel();
    },
  };
}
