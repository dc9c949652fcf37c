import type { ChainwrightEvent, Observer } from "chainwright";
import { failureOf } from "../check.ts";

/** Much longer than any store needs; a case fails after it. */
const limitMs = 10_000;
/** How many of the last events a failure shows. */
const shown = 30;

type Fits = (event: ChainwrightEvent) => boolean;

/** Records every event of the processes of a case, and lets the case wait for them. */
export interface EventLog {
  readonly observer: Observer;
  readonly seen: readonly ChainwrightEvent[];
  /** Resolves with the first event that fits, past or future; rejects after the time limit. */
  until(rule: string, fits: Fits): Promise<ChainwrightEvent>;
  /** Resolves once `count` events fit. */
  untilMany(rule: string, count: number, fits: Fits): Promise<void>;
  count(fits: Fits): number;
}

export function createEventLog(): EventLog {
  const seen: ChainwrightEvent[] = [];
  const waits = new Set<() => void>();

  const untilMany: EventLog["untilMany"] = (rule, count, fits) =>
    new Promise((resolve, reject) => {
      const wait = (): void => {
        if (seen.filter((event) => fits(event)).length < count) return;
        waits.delete(wait);
        clearTimeout(patience);
        resolve();
      };
      const patience = setTimeout(() => {
        waits.delete(wait);
        reject(failureOf(rule, { wanted: `this within ${limitMs} ms`, actual: seen.slice(-shown) }));
      }, limitMs);
      waits.add(wait);
      wait();
    });

  return {
    seen,
    observer(event) {
      seen.push(event);
      for (const wait of waits) wait();
    },
    untilMany,
    async until(rule, fits) {
      await untilMany(rule, 1, fits);
      const event = seen.find((one) => fits(one));
      if (event === undefined) throw failureOf(rule, { wanted: "an event", actual: event });
      return event;
    },
    count: (fits) => seen.filter((event) => fits(event)).length,
  };
}

/** Waits for a promise, and fails after the time limit. */
export async function inTime<T>(rule: string, promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const patience = setTimeout(
    () => reject(failureOf(rule, { wanted: `this within ${limitMs} ms`, actual: "still waiting" })),
    limitMs,
  );
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(patience);
  }
}

/** The pause between two looks. */
const turnMs = 1;

/** Looks until a condition is true, for conditions that no event reports. */
export async function eventually(rule: string, look: () => boolean | Promise<boolean>): Promise<void> {
  const givesUpAt = Date.now() + limitMs;
  while (!(await look())) {
    if (Date.now() > givesUpAt) {
      throw failureOf(rule, { wanted: `this within ${limitMs} ms`, actual: "still false" });
    }
    await new Promise((resolve) => void setTimeout(resolve, turnMs));
  }
}
