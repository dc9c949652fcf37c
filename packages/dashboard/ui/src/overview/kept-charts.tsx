import { useEffect } from "preact/hooks";
import type { HistoryPointView, SeriesPoint } from "../../../src/protocol/overview.ts";
import { Failure, Loading } from "../components/notice.tsx";
import { Panel } from "../components/panel.tsx";
import { RateChart } from "../components/rate-chart.tsx";
import { RunTimeChart } from "../components/run-time-chart.tsx";
import { WaitChart } from "../components/wait-chart.tsx";
import { get } from "../data/api.ts";
import { useResource } from "../data/resource.ts";

/** Workers hand their counts in every ten seconds. */
const everyMs = 20_000;

interface KeptChartsProps {
  readonly over: "hour" | "day";
  /** Undefined: all types. */
  readonly typeName: string | undefined;
}

/** Charts of what the store has kept. */
export function KeptCharts({ over, typeName }: KeptChartsProps) {
  const { data, error, refresh } = useResource(`history ${over} ${typeName ?? ""}`, (signal) =>
    get("history", { over, typeName }, signal),
  );
  useEffect(() => {
    const timer = setInterval(refresh, everyMs);
    return () => {
      clearInterval(timer);
    };
  }, [refresh]);
  const history = data.value;
  if (history === undefined)
    return error.value === undefined ? <Loading rows={4} /> : <Failure error={error.value} onRetry={refresh} />;
  const { points } = history;
  return (
    <>
      <Panel title="Throughput" note="jobs per second">
        <RateChart rates={ratesOf(points, history.everyMs)} />
      </Panel>
      <Panel title="Run time" note="p50 and p95 of attempts, estimated">
        {points.some(({ p50Ms }) => p50Ms !== undefined) ? (
          <RunTimeChart points={points} />
        ) : (
          <p class="muted chart-empty">Run times appear once jobs have ended.</p>
        )}
      </Panel>
      <Panel title="Queue age" note="the longest wait for a worker">
        <WaitChart points={points} />
      </Panel>
    </>
  );
}

function ratesOf(points: readonly HistoryPointView[], ofMs: number): readonly SeriesPoint[] {
  const seconds = ofMs / 1_000;
  return points.map(({ at, completed, failed }) => ({ at, completed: completed / seconds, failed: failed / seconds }));
}
