import type { JobCounts, PausedTypeInfo, QueuedJobs, WorkerInfo } from "chainwright";
import type { Counts, DurationView, OverviewResponse, PauseView, TypeOverview } from "../protocol/overview.ts";
import type { JobStatus } from "../protocol/views.ts";
import { workerView } from "../views.ts";
import { windowMs, type Samples } from "./samples.ts";
import { versionsOf } from "./versions.ts";

const mostTypes = 200;
const mostWorkers = 200;

/** What one look at the store found. */
export interface Look {
  readonly at: number;
  readonly counts: Readonly<Record<string, JobCounts | undefined>>;
  readonly queued: readonly QueuedJobs[];
  readonly workers: readonly WorkerInfo[];
  readonly paused: readonly PausedTypeInfo[];
  readonly durations: ReadonlyMap<string, DurationView>;
}

export function overviewOf(look: Look, samples: Samples, everyMs: number): OverviewResponse {
  // A paused type is shown although it has no jobs, so that it can be resumed.
  const pausedOnly = look.paused.filter(({ typeName }) => look.counts[typeName] === undefined);
  const all = [
    ...Object.entries(look.counts).flatMap(([typeName, counts]) =>
      counts === undefined ? [] : [{ typeName, counts }],
    ),
    ...pausedOnly.map(({ typeName }) => ({ typeName, counts: { ...totalsOf([]), oldestReadyMs: undefined } })),
  ];
  const busiest = all.toSorted(
    (a, b) => openOrFailed(b.counts) - openOrFailed(a.counts) || compare(a.typeName, b.typeName),
  );
  return {
    now: look.at,
    totals: totalsOf(all.map(({ counts }) => counts)),
    types: busiest.slice(0, mostTypes).map(({ typeName, counts }) => typeOverview(typeName, counts, look, samples)),
    moreTypes: Math.max(0, busiest.length - mostTypes),
    workers: look.workers.slice(0, mostWorkers).map(workerView),
    ...versionsOf(look),
    series: samples.series(),
    sampling: { since: samples.since, everyMs, windowMs },
  };
}

function typeOverview(typeName: string, counts: JobCounts, look: Look, samples: Samples): TypeOverview {
  const { oldestReadyMs, limited, oldestLimitedMs, ...statuses } = counts;
  const rate = samples.perMinute(typeName);
  return {
    typeName,
    counts: statuses,
    oldestReadyMs,
    limited: limited ?? 0,
    oldestLimitedMs,
    workers: look.workers.filter((worker) => worker.typeNames.includes(typeName)).length,
    completedPerMinute: rate?.completed,
    failedPerMinute: rate?.failed,
    duration: look.durations.get(typeName),
    series: samples.series(typeName),
    paused: pauseViewOf(look.paused.find((pause) => pause.typeName === typeName)),
  };
}

function pauseViewOf(pause: PausedTypeInfo | undefined): PauseView | undefined {
  if (pause === undefined) return undefined;
  const { reason, by, pausedAt, until } = pause;
  return { reason, by, pausedAt: pausedAt.getTime(), until: until?.getTime() };
}

/** Open and failed jobs count; completed and cancelled ones do not. */
function openOrFailed({ ready, running, scheduled, blocked, waiting, failed }: JobCounts): number {
  return ready + running + scheduled + blocked + waiting + failed;
}

function totalsOf(counts: readonly JobCounts[]): Counts {
  const sum = (status: JobStatus): number => counts.reduce((total, count) => total + count[status], 0);
  return {
    blocked: sum("blocked"),
    waiting: sum("waiting"),
    scheduled: sum("scheduled"),
    ready: sum("ready"),
    running: sum("running"),
    completed: sum("completed"),
    failed: sum("failed"),
    cancelled: sum("cancelled"),
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
