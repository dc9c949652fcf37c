import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { OverviewResponse, SeriesPoint } from "../../../src/protocol/overview.ts";
import { Panel } from "../components/panel.tsx";
import { RateChart } from "../components/rate-chart.tsx";
import { RunTimeChart } from "../components/run-time-chart.tsx";
import { formatDuration } from "../format/duration.ts";

/** Charts of the last minutes, for all job types or for one. */
export function Charts({ overview }: { readonly overview: OverviewResponse }) {
  const chosen = useSignal("");
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
        {sampling.since === undefined ? null : (
          <span class="muted panel-note">last {formatDuration(now - sampling.since)}</span>
        )}
      </div>
      <Panel title="Throughput" note="jobs per second">
        {series.length < 2 ? (
          <NoChart>Rates appear after two samples, one every {formatDuration(sampling.everyMs)}.</NoChart>
        ) : (
          <RateChart points={series} />
        )}
      </Panel>
      <Panel title="Run time" note="p50: half of the jobs took less; p95: 95 of 100 took less">
        {series.filter(isTimed).length < 2 ? (
          <NoChart>Run times appear once jobs have ended between samples.</NoChart>
        ) : (
          <RunTimeChart points={series} />
        )}
      </Panel>
    </section>
  );
}

function isTimed({ p50Ms }: SeriesPoint): boolean {
  return p50Ms !== undefined;
}

function NoChart({ children }: { readonly children: ComponentChildren }) {
  return <p class="muted chart-empty">{children}</p>;
}
