import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { OverviewResponse, SeriesPoint } from "../../../src/protocol/overview.ts";
import { Panel } from "../components/panel.tsx";
import { RateChart, ratesOf } from "../components/rate-chart.tsx";
import { RunTimeChart } from "../components/run-time-chart.tsx";
import { formatDuration } from "../format/duration.ts";
import { KeptCharts } from "./kept-charts.tsx";

const ranges = ["hour", "day", "live"] as const;
const rangeNames = { hour: "the last hour", day: "the last 24 hours", live: "since the page was opened" };

/** Charts of the last hour, of the last day or of the last minutes, for all job types or for one. */
export function Charts({ overview }: { readonly overview: OverviewResponse }) {
  const chosen = useSignal("");
  const over = useSignal<(typeof ranges)[number]>("hour");
  const { types, sampling, now } = overview;
  const series = types.find(({ typeName }) => typeName === chosen.value)?.series ?? overview.series;
  return (
    <section class="charts" aria-label="Charts">
      <div class="charts-head">
        <label class="field-inline">
          <span>Charts of</span>
          <select
            class="input"
            value={chosen.value}
            onChange={(event) => {
              chosen.value = event.currentTarget.value;
            }}
          >
            <option value="">all job types</option>
            {types.map(({ typeName }) => (
              <option key={typeName} value={typeName}>
                {typeName}
              </option>
            ))}
          </select>
        </label>
        <label class="field-inline">
          <span>Time range</span>
          <select
            class="input"
            value={over.value}
            onChange={(event) => {
              const { value } = event.currentTarget;
              over.value = ranges.find((range) => range === value) ?? "hour";
            }}
          >
            {ranges.map((range) => (
              <option key={range} value={range}>
                {rangeNames[range]}
              </option>
            ))}
          </select>
        </label>
        {sampling.since === undefined || over.value !== "live" ? null : (
          <span class="muted panel-note">last {formatDuration(now - sampling.since)}</span>
        )}
      </div>
      {over.value === "live" ? (
        <LiveCharts series={series} everyMs={sampling.everyMs} />
      ) : (
        <KeptCharts over={over.value} typeName={chosen.value === "" ? undefined : chosen.value} />
      )}
    </section>
  );
}

interface LiveChartsProps {
  readonly series: readonly SeriesPoint[];
  readonly everyMs: number;
}

/** Charts of what this server has compared while pages were open. */
function LiveCharts({ series, everyMs }: LiveChartsProps) {
  return (
    <>
      <Panel title="Throughput" note="jobs per second">
        {series.length < 2 ? (
          <NoChart>Rates appear after two samples, one every {formatDuration(everyMs)}.</NoChart>
        ) : (
          <RateChart rates={ratesOf(series)} />
        )}
      </Panel>
      <Panel title="Run time" note="half took less than p50, 95 of 100 less than p95">
        {series.filter(isTimed).length < 2 ? (
          <NoChart>Run times appear once jobs have ended between samples.</NoChart>
        ) : (
          <RunTimeChart points={series} />
        )}
      </Panel>
    </>
  );
}

function isTimed({ p50Ms }: SeriesPoint): boolean {
  return p50Ms !== undefined;
}

function NoChart({ children }: { readonly children: ComponentChildren }) {
  return <p class="muted chart-empty">{children}</p>;
}
