import type { JobStatus } from "./views.ts";

export type Counts = Readonly<Record<JobStatus, number>>;

/** GET overview */
export interface OverviewResponse {
  readonly now: number;
  readonly totals: Counts;
  /** The busiest first; at most {@link types} of them, the rest is counted in `moreTypes`. */
  readonly types: readonly TypeOverview[];
  readonly moreTypes: number;
  readonly workers: readonly WorkerView[];
  /** Of all types together. */
  readonly series: readonly SeriesPoint[];
  readonly sampling: Sampling;
}

/** What stands behind rates and charts: counts that this server compared while somebody was looking. */
export interface Sampling {
  /** The first sample that still counts; undefined: there is none yet. */
  readonly since: number | undefined;
  readonly everyMs: number;
  /** Older samples are dropped. */
  readonly windowMs: number;
}

export interface TypeOverview {
  readonly typeName: string;
  readonly counts: Counts;
  /** How long its oldest ready job has waited. */
  readonly oldestReadyMs: number | undefined;
  /** Live workers that handle it. */
  readonly workers: number;
  /** Since `sampling.since`; undefined before there are two samples. */
  readonly completedPerMinute: number | undefined;
  readonly failedPerMinute: number | undefined;
  /** Run times of the last jobs that ended, found in a bounded look. */
  readonly duration: DurationView | undefined;
  readonly series: readonly SeriesPoint[];
}

export interface DurationView {
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** How many jobs stand behind it. */
  readonly samples: number;
}

/** What ended between the point before and this one. */
export interface SeriesPoint {
  readonly at: number;
  readonly completed: number;
  readonly failed: number;
  /** How long those ran of which the run time was looked at; undefined: none was. */
  readonly p50Ms?: number;
  readonly p95Ms?: number;
}

export interface WorkerView {
  readonly id: string;
  readonly name: string;
  /** The first hundred. */
  readonly typeNames: readonly string[];
  readonly moreTypeNames: number;
  readonly concurrency: number;
  /** Jobs leased to it now. */
  readonly holds: number;
  readonly startedAt: number;
  readonly lastSeenAt: number;
}

/**
 * GET events?chain: server-sent events, named by `type`, their data this JSON. Sent when something differs from the time
 * before, which one look for all listeners finds out. `chain` (up to ten times) also watches these chains.
 */
export type LiveEvent =
  | ({ readonly type: "overview" } & OverviewResponse)
  /** Some chain began, ended or went on: lists may be stale. */
  | { readonly type: "changed"; readonly now: number }
  /** A watched chain changed, or is gone. */
  | { readonly type: "chain"; readonly id: string; readonly exists: boolean; readonly now: number };
