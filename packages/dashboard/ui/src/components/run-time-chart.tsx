import type { SeriesPoint } from "../../../src/protocol/overview.ts";
import { formatDuration } from "../format/duration.ts";
import { Chart } from "./chart.tsx";

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
/** Steps of an axis of durations, in milliseconds. */
export const durationTicks: readonly number[] = [1, 2, 5, 10, 20, 50, 100, 200, 500]
  .concat([1, 2, 5, 10, 15, 30].map((each) => each * second))
  .concat([1, 2, 5, 10, 15, 30].map((each) => each * minute))
  .concat([1, 2, 6, 12, 24, 48, 120, 240].map((each) => each * hour));

/** Run times of the jobs that ended between two points. */
export function RunTimeChart({ points }: { readonly points: readonly SeriesPoint[] }) {
  return (
    <Chart
      title="Run time"
      at={points.map(({ at }) => at)}
      lines={[
        { label: "p95", colour: "scheduled", values: points.map(({ p95Ms = null }) => p95Ms) },
        { label: "p50", colour: "ready", values: points.map(({ p50Ms = null }) => p50Ms) },
      ]}
      format={formatDuration}
      formatTick={(ms) => (ms === 0 ? "0" : formatDuration(ms))}
      ticks={durationTicks}
      least={10}
    />
  );
}
