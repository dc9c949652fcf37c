import type { Clock, Timer } from "../ports/clock.ts";

/** If a timer fires this much too late, the process was busy. */
const busyMs = 200;

/**
 * Calls back when the other side has not replied in time. In a busy process the timer can be due before the process has read
 * what arrived meanwhile. The delay is then its own, so the limit starts again, and the socket is read before the call.
 */
export function setReplyLimit(clock: Clock, limitMs: number, onOver: () => void): Timer {
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
