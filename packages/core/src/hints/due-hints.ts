import type { Clock, Timer } from "../ports/clock.ts";
import type { Hint } from "../ports/notify.ts";

type Ready = Extract<Hint, { readonly kind: "ready" }>;

/** Hints about jobs of one type that are due later. No worker looks for these jobs before they are due. */
export interface DueHints {
  add(hint: Ready, dueInMs: number): void;
  /** Other workers took so many jobs, some of which may be due here a moment later. */
  taken(count: number): void;
  clear(): void;
}

/** Memory that is used at most. The jobs that are due after these are found when one of these is due. */
const mostKept = 1_000;
/** How far the same moment may be apart in two processes, because a hint takes time and timers are late. */
const toleranceMs = 50;

interface Due {
  readonly hint: Ready;
  readonly at: number;
}

/** @param onDue receives each hint when its job is due */
export function createDueHints(clock: Clock, onDue: (hint: Ready) => void): DueHints {
  /** In the order in which they are due. */
  let all: Due[] = [];
  let timer: Timer | undefined;

  const setTimer = (): void => {
    timer?.cancel();
    const [next] = all;
    timer = next && clock.setTimer(pass, Math.max(0, next.at - clock.now()));
  };
  const pass = (): void => {
    const now = clock.now();
    const passed = all.findIndex(({ at }) => at > now);
    const due = all.splice(0, passed === -1 ? all.length : passed);
    setTimer();
    for (const { hint } of due) onDue(hint);
  };

  return {
    add(hint, dueInMs) {
      const at = clock.now() + dueInMs;
      const place = all.findLastIndex((each) => each.at <= at) + 1;
      all.splice(place, 0, { hint, at });
      if (all.length > mostKept) all.pop();
      if (place === 0) setTimer();
    },
    taken(count) {
      const soon = clock.now() + toleranceMs;
      let left = count;
      for (let [first] = all; left > 0 && first !== undefined && first.at <= soon; [first] = all) {
        const { hint, at } = first;
        if (hint.count > left) all[0] = { hint: { ...hint, count: hint.count - left }, at };
        else all.shift();
        left -= Math.min(left, hint.count);
      }
      if (left < count) setTimer();
    },
    clear() {
      timer?.cancel();
      all = [];
    },
  };
}
