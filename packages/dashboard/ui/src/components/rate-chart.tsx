import type { SeriesPoint } from "../../../src/protocol/overview.ts";
import { formatRate } from "../format/number.ts";
import { Chart } from "./chart.tsx";

/** Completed and failed jobs per second. @param rates how many a second at each moment */
export function RateChart({ rates }: { readonly rates: readonly SeriesPoint[] }) {
  return (
    <Chart
      title="Throughput"
      at={rates.map(({ at }) => at)}
      lines={[
        { label: "Completed", colour: "completed", values: rates.map(({ completed }) => completed) },
        { label: "Failed", colour: "failed", values: rates.map(({ failed }) => failed) },
      ]}
      format={formatRate}
      formatTick={formatTick}
      least={1}
    />
  );
}

/** Rates per second between each point and the previous one. */
export function ratesOf(points: readonly SeriesPoint[]): readonly SeriesPoint[] {
  return points.slice(1).map(({ at, completed, failed }, index) => {
    const seconds = Math.max(0.001, (at - (points[index]?.at ?? at)) / 1_000);
    return { at, completed: completed / seconds, failed: failed / seconds };
  });
}

function formatTick(rate: number): string {
  return Number.isInteger(rate) ? String(rate) : rate.toFixed(1);
}
