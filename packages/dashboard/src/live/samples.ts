import type { JobCounts } from "chainwright";
import type { SeriesPoint } from "../protocol.ts";

export const windowMs = 15 * 60_000;
/** Points of a chart, and types with one of their own. */
const points = 60;
const mostTypes = 200;

/** How many jobs had completed and failed by then. */
interface Ended {
  readonly completed: number;
  readonly failed: number;
}

interface Sample {
  readonly at: number;
  readonly byType: ReadonlyMap<string, Ended>;
  readonly all: Ended;
  /** Whether there were more types than are kept. */
  readonly cut: boolean;
}

/** Counts of the last minutes, from which rates follow. */
export interface Samples {
  add(at: number, counts: Readonly<Record<string, JobCounts | undefined>>): void;
  /** The moment of the oldest one kept. */
  readonly since: number | undefined;
  readonly newest: number | undefined;
  /** What ended between samples, of a type or of all. */
  series(typeName?: string): readonly SeriesPoint[];
  perMinute(typeName: string): { readonly completed: number; readonly failed: number } | undefined;
}

export function createSamples(): Samples {
  let kept: Sample[] = [];

  const between = (before: Sample, after: Sample, typeName: string | undefined): Ended => {
    const to = typeName === undefined ? after.all : (after.byType.get(typeName) ?? none);
    // A type that was not there had ended nothing, unless it had only not been kept.
    const from = typeName === undefined ? before.all : (before.byType.get(typeName) ?? (before.cut ? to : none));
    // Retention and deletion take from what is counted: then nothing can be said, and it is not below zero.
    return { completed: Math.max(0, to.completed - from.completed), failed: Math.max(0, to.failed - from.failed) };
  };
  const series = (typeName?: string): SeriesPoint[] => {
    const stride = Math.max(1, Math.ceil((kept.length - 1) / points));
    // Counted from the newest, so that its points stay put while older ones are dropped.
    const picked = kept.filter((_, index) => (kept.length - 1 - index) % stride === 0);
    return picked.slice(1).map((sample, index) => {
      const before = picked[index] ?? sample;
      return { at: sample.at, ...between(before, sample, typeName) };
    });
  };

  return {
    add(at, counts) {
      const entries = Object.entries(counts).map(([typeName, count]): [string, Ended] => [
        typeName,
        { completed: count?.completed ?? 0, failed: count?.failed ?? 0 },
      ]);
      const busiest = entries.toSorted(([, a], [, b]) => b.completed + b.failed - a.completed - a.failed);
      const all = {
        completed: entries.reduce((sum, [, { completed }]) => sum + completed, 0),
        failed: entries.reduce((sum, [, { failed }]) => sum + failed, 0),
      };
      kept = kept.filter((sample) => sample.at > at - windowMs && sample.at < at);
      kept.push({ at, byType: new Map(busiest.slice(0, mostTypes)), all, cut: busiest.length > mostTypes });
    },
    get since() {
      return kept[0]?.at;
    },
    get newest() {
      return kept.at(-1)?.at;
    },
    series,
    perMinute(typeName) {
      const [first] = kept;
      const last = kept.at(-1);
      if (first === undefined || last === undefined || last.at === first.at) return undefined;
      const steps = kept.slice(1).map((sample, index) => between(kept[index] ?? sample, sample, typeName));
      const minutes = (last.at - first.at) / 60_000;
      return {
        completed: steps.reduce((sum, { completed }) => sum + completed, 0) / minutes,
        failed: steps.reduce((sum, { failed }) => sum + failed, 0) / minutes,
      };
    },
  };
}

const none: Ended = { completed: 0, failed: 0 };
