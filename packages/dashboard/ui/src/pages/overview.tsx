import { CirclePause, Inbox } from "lucide";
import type { OverviewResponse, PauseView, TypeOverview } from "../../../src/protocol/overview.ts";
import type { JobStatus } from "../../../src/protocol/views.ts";
import { ActionButton } from "../actions/action-buttons.tsx";
import { Icon } from "../components/icon.tsx";
import { Empty, Failure, Loading } from "../components/notice.tsx";
import { Panel } from "../components/panel.tsx";
import { ratesOf } from "../components/rate-chart.tsx";
import { Sparkline } from "../components/sparkline.tsx";
import { StatusIcon, statusLabel } from "../components/status.tsx";
import { get } from "../data/api.ts";
import { useLive } from "../data/live.ts";
import { useResource } from "../data/resource.ts";
import { formatDuration } from "../format/duration.ts";
import { formatExact } from "../format/moment.ts";
import { counted, formatCount, formatRate } from "../format/number.ts";
import { Charts } from "../overview/charts.tsx";
import { Versions } from "../overview/versions.tsx";
import { LostWorkers } from "../overview/lost-workers.tsx";
import { WorkersTable } from "../overview/workers.tsx";
import { Link } from "../routing/link.tsx";
import { hrefTo } from "../routing/place.ts";
import { useSignal } from "@preact/signals";

/** The current state: counts, rates, job types and workers. */
export function OverviewPage() {
  const { data, error, refresh } = useResource("overview", (signal) => get("overview", {}, signal));
  const newest = useSignal<OverviewResponse | undefined>(undefined);
  useLive({
    onOverview: (overview) => {
      newest.value = overview;
    },
    onChanged: () => {
      if (newest.value === undefined) refresh();
    },
  });
  const overview = newest.value ?? data.value;

  return (
    <>
      <header class="page-head">
        <h1>Overview</h1>
      </header>
      {error.value === undefined ? null : <Failure error={error.value} onRetry={refresh} />}
      {overview === undefined ? (
        error.value === undefined ? (
          <Loading rows={8} />
        ) : null
      ) : (
        <Loaded
          overview={overview}
          onChanged={() => {
            newest.value = undefined;
            refresh();
          }}
        />
      )}
    </>
  );
}

const tileStatuses = ["running", "ready", "scheduled", "blocked", "failed"] as const;

function Loaded({ overview, onChanged }: { readonly overview: OverviewResponse; readonly onChanged: () => void }) {
  const { totals, types, moreTypes, workers } = overview;
  return (
    <>
      <ul class="tiles">
        {tileStatuses.map((status) => (
          <li key={status}>
            <Link href={tileHref(status)} class="tile" state={status}>
              <span class="tile-name">
                <StatusIcon status={status} />
                {statusLabel(status)}
              </span>
              <span class="tile-count">{formatCount(totals[status])}</span>
              <span class="tile-note muted">{tileNote(status, overview)}</span>
            </Link>
          </li>
        ))}
      </ul>
      <Charts overview={overview} />
      <Panel
        title="Job types"
        note={moreTypes === 0 ? undefined : `the busiest ${types.length}; ${counted(moreTypes, "more type")}`}
        flush
      >
        <TypesTable types={types} onChanged={onChanged} />
      </Panel>
      <Versions versions={overview.versions} more={overview.moreVersions} />
      <Panel title="Workers" note={counted(workers.length, "worker")} flush>
        <WorkersTable workers={workers} />
      </Panel>
      <LostWorkers />
    </>
  );
}

function tileHref(status: JobStatus): string {
  if (status === "failed") return hrefTo("failed");
  if (status === "scheduled") return hrefTo("schedule");
  return hrefTo("chains", { step: status });
}

function tileNote(status: JobStatus, { types, workers, now }: OverviewResponse): string {
  if (status === "running") {
    const slots = workers.reduce((sum, { concurrency }) => sum + concurrency, 0);
    return slots === 0 ? "no live worker" : `of ${counted(slots, "slot")}`;
  }
  if (status !== "ready") return "";
  const oldest = Math.max(0, ...types.map(({ oldestReadyMs }) => oldestReadyMs ?? 0));
  return oldest === 0 || now === 0 ? "none waiting" : `oldest ${formatDuration(oldest)}`;
}

const countColumns = ["ready", "running", "scheduled", "blocked", "failed"] as const;

interface TypesProps {
  readonly types: readonly TypeOverview[];
  readonly onChanged: () => void;
}

function TypesTable({ types, onChanged }: TypesProps) {
  if (types.length === 0) {
    return (
      <Empty icon={Inbox} title="Nothing has been started yet">
        Job types appear here with their first chain.
      </Empty>
    );
  }
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label="Job types">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Type</th>
            {countColumns.map((status) => (
              <th key={status} scope="col" class="number">
                {statusLabel(status)}
              </th>
            ))}
            <th scope="col" class="number">
              Oldest ready
            </th>
            <th scope="col" class="number">
              Completed
            </th>
            <th scope="col">
              <span class="visually-hidden">Completions over time</span>
            </th>
            <th scope="col" class="number">
              p50
            </th>
            <th scope="col" class="number">
              p95
            </th>
            <th scope="col">
              <span class="visually-hidden">Run times over time</span>
            </th>
            <th scope="col" class="number">
              Workers
            </th>
            <th scope="col">
              <span class="visually-hidden">Action</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {types.map((type) => (
            <TypeRow key={type.typeName} type={type} onChanged={onChanged} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function TypeRow({ type, onChanged }: { readonly type: TypeOverview; readonly onChanged: () => void }) {
  const {
    typeName,
    counts,
    oldestReadyMs,
    oldestLimitedMs,
    completedPerMinute,
    duration,
    workers,
    series,
    paused,
    limited,
  } = type;
  return (
    <tr>
      <th scope="row">
        <Link href={hrefTo("chains", { stepType: typeName })} class="type-link" title={typeName}>
          {typeName}
        </Link>
        {paused === undefined ? null : <PausedBadge pause={paused} />}
        {limited === 0 ? null : (
          <Link href={hrefTo("limits", { busy: "true", order: "waiting" })} class="limited-link" state="blocked">
            {formatCount(limited)} wait for a limit
            {oldestLimitedMs === undefined ? "" : `, the oldest for ${formatDuration(oldestLimitedMs)}`}
          </Link>
        )}
      </th>
      {countColumns.map((status) => (
        <CountCell key={status} typeName={typeName} status={status} count={counts[status]} />
      ))}
      <td class="number">{oldestReadyMs === undefined ? <None /> : formatDuration(oldestReadyMs)}</td>
      <td class="number nowrap">{completedPerMinute === undefined ? <None /> : formatRate(completedPerMinute / 60)}</td>
      <td class="course">
        <Sparkline points={ratesOf(series).map(({ at, completed }) => ({ at, value: completed }))} />
      </td>
      <td class="number nowrap">{duration === undefined ? <None /> : formatDuration(duration.p50Ms)}</td>
      <td class="number nowrap">{duration === undefined ? <None /> : formatDuration(duration.p95Ms)}</td>
      <td class="course" data-state="ready">
        <Sparkline points={series.flatMap(({ at, p50Ms }) => (p50Ms === undefined ? [] : [{ at, value: p50Ms }]))} />
      </td>
      <td class="number">{workers === 0 ? <span data-state="blocked">none</span> : workers}</td>
      <td>
        <ActionButton
          action={paused === undefined ? "pause" : "resume"}
          ids={[typeName]}
          label={`${paused === undefined ? "Pause" : "Resume"} ${typeName}`}
          small
          onDone={onChanged}
        />
      </td>
    </tr>
  );
}

interface CountProps {
  readonly typeName: string;
  readonly status: (typeof countColumns)[number];
  readonly count: number;
}

/** How many jobs of a type have a status, with a link to their chains. */
function CountCell({ typeName, status, count }: CountProps) {
  if (count === 0) {
    return (
      <td class="number">
        <span class="zero">0</span>
      </td>
    );
  }
  const where = { stepType: typeName, [status === "failed" ? "status" : "step"]: status };
  return (
    <td class="number" data-state={status}>
      <Link href={hrefTo("chains", where)} label={`${statusLabel(status)} ${typeName}: ${count}`} state={status}>
        {formatCount(count)}
      </Link>
    </td>
  );
}

function PausedBadge({ pause: { reason, by, until } }: { readonly pause: PauseView }) {
  const details = [
    by === undefined ? "" : `by ${by}`,
    until === undefined ? "" : `until ${formatExact(until)}`,
    reason ?? "",
  ].filter((detail) => detail !== "");
  return (
    <span class="paused-badge" data-state="blocked">
      <Icon of={CirclePause} />
      paused{details.length === 0 ? "" : ` ${details.join(", ")}`}
    </span>
  );
}

function None() {
  return <span class="zero">–</span>;
}
