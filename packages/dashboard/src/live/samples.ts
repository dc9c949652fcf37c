import type { JobCounts } from "chainwright";
import type { SeriesPoint } from "../protocol/overview.ts";
import { quantilesOf, type Run } from "./run-times.ts";

export const windowMs = 15 * 60_000;
/** Points of a chart, and the number of types that have a chart of their own. */
const points = 60;
const mostTypes = 200;

/** Numbers of completed and failed jobs at one moment. */
interface Ended {
  readonly completed: number;
  readonly failed: number;
}

interface Sample {
  readonly at: number;
  readonly byType: ReadonlyMap<string, Ended>;
  readonly all: Ended;
  /** Whether types were left out because there were too many. */
  readonly cut: boolean;
  /** Run times of jobs that ended since the previous sample, as far as one look finds them. */
  readonly times: ReadonlyMap<string, readonly number[]>;
}

/** Counts and run times of the last minutes, the data of the charts. */
export interface Samples {
  add(at: number, counts: Readonly<Record<string, JobCounts | undefined>>, runs: readonly Run[]): void;
  /** The moment of the oldest sample. */
  readonly since: number | undefined;
  readonly newest: number | undefined;
  /** Jobs that ended between samples, of one type or of all. */
  series(typeName?: string): readonly SeriesPoint[];
  perMinute(typeName: string): { readonly completed: number; readonly failed: number } | undefined;
}

export function createSamples(): Samples {
  let kept: Sample[] = [];
  /** The end of the newest job whose run time is included, by the store's clock. */
  let timedTo = -Infinity;

  const series = (typeName?: string): SeriesPoint[] => {
    const stride = Math.max(1, Math.ceil((kept.length - 1) / points));
    // Counted from the newest sample, so that points do not move while old samples are dropped.
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

/** Jobs that ended between the first and the last of the given samples. */
function pointOf(samples: readonly Sample[], typeName: string | undefined): SeriesPoint {
  const [before, ...rest] = samples;
  const after = rest.at(-1);
  if (before === undefined || after === undefined) throw new RangeError("a point needs two samples");
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
  // A type that is missing in the earlier sample had no ended jobs then, unless that sample left types out.
  const from = typeName === undefined ? before.all : (before.byType.get(typeName) ?? (before.cut ? to : none));
  // Retention and deletion lower the counts, so the difference could be negative.
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
