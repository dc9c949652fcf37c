import type { Clock, Timer } from "../ports/clock.ts";

/** Many deadlines on one timer. Most are removed long before they pass, so the timer is set for the earliest one only. */
export interface Deadlines<Item> {
  add(item: Item, at: number): void;
  remove(item: Item): void;
  clear(): void;
}

export function createDeadlines<Item>(clock: Clock, onPassed: (item: Item) => void): Deadlines<Item> {
  const deadlines = new Map<Item, number>();
  let timer: Timer | undefined;
  let timerAt = Infinity;

  const setTimerFor = (at: number): void => {
    timer?.cancel();
    timerAt = at;
    timer = clock.setTimer(check, Math.max(0, at - clock.now()));
  };
  const check = (): void => {
    const now = clock.now();
    timer = undefined;
    timerAt = Infinity;
    const passed = Array.from(deadlines).filter(([, at]) => at <= now);
    for (const [item] of passed) deadlines.delete(item);
    // The item with the earliest deadline may have been removed: find the deadline that is the earliest now.
    let earliest = Infinity;
    for (const at of deadlines.values()) earliest = Math.min(earliest, at);
    if (earliest !== Infinity) setTimerFor(earliest);
    for (const [item] of passed) onPassed(item);
  };

  return {
    add(item, at) {
      deadlines.set(item, at);
      if (at < timerAt) setTimerFor(at);
    },
    remove(item) {
      deadlines.delete(item);
    },
    clear() {
      deadlines.clear();
      timer?.cancel();
      timer = undefined;
      timerAt = Infinity;
    },
  };
}
