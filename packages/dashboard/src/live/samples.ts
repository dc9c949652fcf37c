import type { JobCounts } from "chainwright";
import type { SeriesPoint } from "../protocol/overview.ts";
import { quantilesOf, type Run } from "./run-times.ts";

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
  /** Run times of those that ended since the sample before: as many as one look finds. */
  readonly times: ReadonlyMap<string, readonly number[]>;
}

/** Counts and run times of the last minutes, from which charts follow. */
export interface Samples {
  add(at: number, counts: Readonly<Record<string, JobCounts | undefined>>, runs: readonly Run[]): void;
  /** The moment of the oldest one kept. */
  readonly since: number | undefined;
  readonly newest: number | undefined;
  /** What ended between samples, of a type or of all. */
  series(typeName?: string): readonly SeriesPoint[];
  perMinute(typeName: string): { readonly completed: number; readonly failed: number } | undefined;
}

export function createSamples(): Samples {
  let kept: Sample[] = [];
  /** When the last of the jobs ended whose run times are in. By the store's clock. */
  let timedTo = -Infinity;

  const series = (typeName?: string): SeriesPoint[] => {
    const stride = Math.max(1, Math.ceil((kept.length - 1) / points));
    // Counted from the newest, so that its points stay put while older ones are dropped.
    const first = (kept.length - 1) % stride;
    const steps = Math.max(0, Math.floor((kept.length - 1) / stride));
    return Array.from({ length: steps }, (_, step) => {
      const start = first + step * stride;
      return pointOf(kept.slice(start, start + stride + 1), typeName);
    });
  };

  return {
    add(at, counts, runs) {
      const entries = Object.entries(counts).map(([typeName, count]): [string, Ended] => [
        typeName,
        { completed: count?.completed ?? 0, failed: count?.failed ?? 0 },
      ]);
      const busiest = entries.toSorted(([, a], [, b]) => b.completed + b.failed - a.completed - a.failed);
      const all = {
        completed: entries.reduce((sum, [, { completed }]) => sum + completed, 0),
        failed: entries.reduce((sum, [, { failed }]) => sum + failed, 0),
      };
      const times = timesByType(runs.filter(({ endedAt }) => endedAt > timedTo));
      timedTo = runs.reduce((latest, { endedAt }) => Math.max(latest, endedAt), timedTo);
      kept = kept.filter((sample) => sample.at > at - windowMs && sample.at < at);
      kept.push({ at, byType: new Map(busiest.slice(0, mostTypes)), all, cut: busiest.length > mostTypes, times });
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

/** What ended between the first and the last of some samples. */
function pointOf(samples: readonly Sample[], typeName: string | undefined): SeriesPoint {
  const [before, ...rest] = samples;
  const after = rest.at(-1);
  if (before === undefined || after === undefined) throw new RangeError("a point stands between two samples");
  const times = rest.flatMap((sample) =>
    typeName === undefined ? [...sample.times.values()].flat() : (sample.times.get(typeName) ?? []),
  );
  return {
    at: after.at,
    ...between(before, after, typeName),
    ...(times.length === 0 ? undefined : quantilesOf(times)),
  };
}

function between(before: Sample, after: Sample, typeName: string | undefined): Ended {
  const to = typeName === undefined ? after.all : (after.byType.get(typeName) ?? none);
  // A type that was not there had ended nothing, unless it had only not been kept.
  const from = typeName === undefined ? before.all : (before.byType.get(typeName) ?? (before.cut ? to : none));
  // Retention and deletion take from what is counted: then nothing can be said, and it is not below zero.
  return { completed: Math.max(0, to.completed - from.completed), failed: Math.max(0, to.failed - from.failed) };
}

function timesByType(runs: readonly Run[]): ReadonlyMap<string, readonly number[]> {
  return new Map(
    Array.from(
      Map.groupBy(runs, ({ typeName }) => typeName),
      ([typeName, ofType]) => [typeName, ofType.map(({ ms }) => ms)],
    ),
  );
}

const none: Ended = { completed: 0, failed: 0 };
