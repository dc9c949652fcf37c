import type { ProgressView } from "./progress.ts";
import type { JobStatus } from "./views.ts";

export type Counts = Readonly<Record<JobStatus, number>>;

/** GET overview */
export interface OverviewResponse {
  readonly now: number;
  readonly totals: Counts;
  /** The busiest types first; `moreTypes` counts those left out. */
  readonly types: readonly TypeOverview[];
  readonly moreTypes: number;
  readonly workers: readonly WorkerView[];
  /** Of types with several versions or pools, by type, version and pool; `moreVersions` counts those left out. */
  readonly versions: readonly VersionView[];
  readonly moreVersions: number;
  /** All types together. */
  readonly series: readonly SeriesPoint[];
  readonly sampling: Sampling;
}

/** The source of rates and charts: counts that this server compared while a page was open. */
export interface Sampling {
  /** The time of the oldest sample; undefined before the first one. */
  readonly since: number | undefined;
  readonly everyMs: number;
  /** Older samples are dropped. */
  readonly windowMs: number;
}

export interface TypeOverview {
  readonly typeName: string;
  readonly counts: Counts;
  /** The waiting time of its oldest ready job. */
  readonly oldestReadyMs: number | undefined;
  /** How many of the ready ones wait for a limit; they do not count for `oldestReadyMs`. */
  readonly limited: number;
  readonly oldestLimitedMs: number | undefined;
  /** Live workers that handle this type. */
  readonly workers: number;
  /** Since `sampling.since`; undefined before there are two samples. */
  readonly completedPerMinute: number | undefined;
  readonly failedPerMinute: number | undefined;
  /** Run times of recently ended jobs, found in a bounded number of rows. */
  readonly duration: DurationView | undefined;
  readonly series: readonly SeriesPoint[];
  /** Set while the type is paused. */
  readonly paused: PauseView | undefined;
}

export interface PauseView {
  readonly reason: string | undefined;
  readonly by: string | undefined;
  readonly pausedAt: number;
  /** When it ends by itself; undefined: when the type is resumed. */
  readonly until: number | undefined;
}

export interface DurationView {
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** The number of measured jobs. */
  readonly samples: number;
}

/** Jobs that ended between the previous point and this one. */
export interface SeriesPoint {
  readonly at: number;
  readonly completed: number;
  readonly failed: number;
  /** Run times of the measured jobs among them; undefined if none was measured. */
  readonly p50Ms?: number;
  readonly p95Ms?: number;
}

/**
 * GET history?over&typeName: what workers did in the last `hour` (default) or `day`, of one type or of all. The store keeps it, whether or not
 * someone looks.
 */
export interface HistoryResponse {
  readonly now: number;
  /** The length of time of each point. */
  readonly everyMs: number;
  /** Oldest first; the newest is not over. Empty if the store keeps none. */
  readonly points: readonly HistoryPointView[];
}

/** What workers did from `at` on. */
export interface HistoryPointView extends SeriesPoint {
  readonly retried: number;
  /** The longest time that a claimed job had waited. */
  readonly longestWaitMs: number;
}

/** The jobs of one type, version and pool, and the live workers that claim them. */
export interface VersionView {
  readonly typeName: string;
  readonly version: number;
  readonly pool: string | undefined;
  readonly ready: number;
  readonly scheduled: number;
  readonly running: number;
  /** How many live workers claim them, and the names of the first ones. */
  readonly workers: number;
  readonly workerNames: readonly string[];
}

/** A worker that is alive, or was a moment ago. */
export interface WorkerView {
  readonly id: string;
  readonly name: string;
  /** The first hundred; `moreTypeNames` counts the others. */
  readonly typeNames: readonly string[];
  readonly moreTypeNames: number;
  /** The first ten that it serves; null: jobs without a pool. */
  readonly pools: readonly (string | null)[];
  readonly packageVersion: string | undefined;
  /** As given to `createWorker`. */
  readonly codeVersion: number | undefined;
  readonly concurrency: number;
  /** Jobs that it leases now. */
  readonly holds: number;
  readonly startedAt: number;
  readonly lastSeenAt: number;
}

/** GET lost: workers whose heartbeats stopped within the last day without a goodbye, the newest loss first. */
export interface LostWorkersResponse {
  readonly now: number;
  /** The first fifty; `more` counts the others. */
  readonly workers: readonly LostWorkerView[];
  readonly more: number;
}

export interface LostWorkerView {
  readonly id: string;
  readonly name: string;
  readonly startedAt: number;
  readonly lastSeenAt: number;
  /** How many jobs it held when its silence was noticed, counted up to 1,000. Undefined: it is not known. */
  readonly heldCount: number | undefined;
  /** The first ten of them, as they are now. */
  readonly held: readonly HeldJobView[];
}

/** A job that a lost worker held. */
export interface HeldJobView {
  readonly id: string;
  readonly attempt: number;
  /** Where it is now; undefined: it was deleted. */
  readonly now: { readonly chainId: string; readonly typeName: string; readonly status: JobStatus } | undefined;
}

/**
 * GET events?chain&job: server-sent events, named by `type`, with this JSON as data. Sent when one look for all listeners finds a
 * difference. `chain` (up to ten times) also watches these chains, `job` (up to a hundred times) the progress of these jobs.
 */
export type LiveEvent =
  | ({ readonly type: "overview" } & OverviewResponse)
  /** A chain started, ended or moved on: lists may be stale. */
  | { readonly type: "changed"; readonly now: number }
  /** Whether this page is told of changes of its chains; sent when that changes. */
  | { readonly type: "watching"; readonly isLive: boolean; readonly now: number }
  /** Reports of the jobs named by `job`; sent when one of them changes. */
  | { readonly type: "progress"; readonly progress: Readonly<Record<string, ProgressView>>; readonly now: number }
  /** Whether the store can be read; sent when that changes. What a page shows is old while it cannot. */
  | { readonly type: "store"; readonly isAway: boolean; readonly now: number }
  /** A watched chain changed or was deleted. */
  | { readonly type: "chain"; readonly id: string; readonly exists: boolean; readonly now: number };
