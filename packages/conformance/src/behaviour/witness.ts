import type { ChainwrightEvent, Observer } from "chainwright";
import { ConformanceFailure } from "../check.ts";

/** Far above what any store takes; a case fails when it passes. */
const patienceMs = 10_000;
/** How many of the last events a failure tells. */
const told = 30;

type Fits = (event: ChainwrightEvent) => boolean;

/** Sees every event of the processes of a case, and lets the case wait for them. */
export interface Witness {
  readonly observer: Observer;
  readonly seen: readonly ChainwrightEvent[];
  /** Resolves with the first event that fits, past or to come; rejects when none does in time. */
  until(rule: string, fits: Fits): Promise<ChainwrightEvent>;
  /** Resolves once so many events fit. */
  untilMany(rule: string, count: number, fits: Fits): Promise<void>;
  count(fits: Fits): number;
}

export function createWitness(): Witness {
  const seen: ChainwrightEvent[] = [];
  const waits = new Set<() => void>();

  const untilMany: Witness["untilMany"] = (rule, count, fits) =>
    new Promise((resolve, reject) => {
      const wait = (): void => {
        if (seen.filter((event) => fits(event)).length < count) return;
        waits.delete(wait);
        clearTimeout(patience);
        resolve();
      };
      const patience = setTimeout(() => {
        waits.delete(wait);
        reject(new ConformanceFailure(rule, { expected: `within ${patienceMs} ms`, actual: seen.slice(-told) }));
      }, patienceMs);
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
      if (event === undefined) throw new ConformanceFailure(rule, { expected: "an event", actual: event });
      return event;
    },
    count: (fits) => seen.filter((event) => fits(event)).length,
  };
}

/** Waits for something that ends in time, or fails with words. */
export async function inTime<T>(rule: string, promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const patience = setTimeout(
    () => reject(new ConformanceFailure(rule, { expected: `within ${patienceMs} ms`, actual: "still waiting" })),
    patienceMs,
  );
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(patience);
  }
}

/** Between two looks: a turn of the event loop, so that what is looked for can happen. */
const turnMs = 1;

/** Looks until something is so; for what no event tells. */
export async function eventually(rule: string, look: () => boolean | Promise<boolean>): Promise<void> {
  const givesUpAt = Date.now() + patienceMs;
  while (!(await look())) {
    if (Date.now() > givesUpAt) {
      throw new ConformanceFailure(rule, { expected: `within ${patienceMs} ms`, actual: "not so" });
    }
    await new Promise((resolve) => void setTimeout(resolve, turnMs));
  }
}
