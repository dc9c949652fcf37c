import type { HistoryPointView } from "../../../src/protocol/overview.ts";
import { formatDuration } from "../format/duration.ts";
import { Chart } from "./chart.tsx";
import { durationTicks } from "./run-time-chart.tsx";

/** The longest time that a claimed job had waited. */
export function WaitChart({ points }: { readonly points: readonly HistoryPointView[] }) {
  return (
    <Chart
      title="Queue age"
      at={points.map(({ at }) => at)}
      lines={[{ label: "Longest wait", colour: "ready", values: points.map(({ longestWaitMs }) => longestWaitMs) }]}
      format={formatDuration}
      formatTick={(ms) => (ms === 0 ? "0" : formatDuration(ms))}
      ticks={durationTicks}
      least={10}
    />
  );
}
