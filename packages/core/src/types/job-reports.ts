import type { AttemptError } from "../model/attempt-error.ts";
import type { ChainId, JobId } from "../model/ids.ts";
import type { BlockerCounts } from "../model/record.ts";
import type { ChainStatus, JobStatus } from "../model/status.ts";
import type { Tags } from "../model/tags.ts";
import type { LimitInfo } from "./limit-reports.ts";

/** The reason why a job is not running, or how it ended. */
export interface JobExplanation {
  readonly id: JobId;
  readonly chainId: ChainId;
  readonly typeName: string;
  /** From 1: its place in the chain. */
  readonly step: number;
  readonly status: JobStatus;
  /** Only workers that serve this pool run it. Undefined: it has none. */
  readonly pool: string | undefined;
  /** The tags and the deduplication key of its chain. */
  readonly tags: Tags;
  readonly deduplicationKey: string | undefined;
  /** For a person: the reason, and the error of the last attempt that failed. */
  readonly summary: string;
  /** `summary` without the error, and without what started its chain. */
  readonly reason: string;
  /** The error of the last attempt that failed. */
  readonly lastError: AttemptError | undefined;
  /** While blocked: the blockers that have not completed, the first hundred: those that failed or were cancelled come first. */
  readonly blockedBy: readonly { readonly id: ChainId; readonly typeName: string; readonly status: ChainStatus }[];
  /** While blocked: how many chains it waits for, and how many of these have completed and failed. */
  readonly blockers: BlockerCounts | undefined;
  /** While scheduled. */
  readonly dueAt: Date | undefined;
  /** While it waits for signals, if the wait has an end. */
  readonly waitsUntil: Date | undefined;
  /** While running. */
  readonly leasedBy: string | undefined;
  readonly leasedUntil: Date | undefined;
  /**
   * While ready: the number of jobs of its type, version and pool, and with the same keys if it is under limits, that are claimed
   * first, counted up to 1,000.
   */
  readonly ahead: number | undefined;
  /** While ready: the limits that let no job with its key begin now. */
  readonly limitedBy: readonly LimitInfo[];
  /** While its type is paused and it has not ended: why, until when (undefined: until it is resumed), and who paused it. */
  readonly paused: Pick<PausedTypeInfo, "reason" | "until" | "by"> | undefined;
  /** The tick of a recurring schedule that started its chain, while that is on record. */
  readonly tick: { readonly scheduleId: string; readonly at: Date } | undefined;
  /** Live workers that handle its type and serve its pool, and read the version in which its input is stored. */
  readonly workers: readonly string[];
}

/** A worker with a recent heartbeat. */
export interface WorkerInfo {
  readonly id: string;
  readonly name: string;
  readonly typeNames: readonly string[];
  readonly concurrency: number;
  /** The newest version of the store's schema that its package knows. */
  readonly schemaVersion: number;
  /** The version of the package that it runs; undefined for a release that does not report it. */
  readonly packageVersion: string | undefined;
  /** As given to `createWorker`. */
  readonly codeVersion: number | undefined;
  /** The newest version that it reads, by job type; types that are not named have one version. */
  readonly versions: { readonly [typeName: string]: number | undefined };
  /** The pools that it serves; null: jobs without a pool. */
  readonly pools: readonly (string | null)[];
  /** Jobs leased to it now. */
  readonly holds: number;
  readonly startedAt: Date;
  readonly lastSeenAt: Date;
}

/** A worker whose heartbeats stopped without its end being reported. */
export interface LostWorkerInfo extends WorkerInfo {
  /** When its last heartbeat ceased to be valid. */
  readonly lostAt: Date;
  /**
   * The jobs that it held when another worker noticed its silence, the first 1,000, in any order. Undefined: no other worker has, as when
   * it was the only one.
   */
  readonly held: readonly HeldJobInfo[] | undefined;
}

/** A job that a worker held when it was lost. Others may have run it since. */
export interface HeldJobInfo {
  readonly jobId: JobId;
  readonly attempt: number;
  readonly startedAt: Date;
  /** When its lease runs out, or ran out. */
  readonly leasedUntil: Date;
}

/** A job type that is paused. */
export interface PausedTypeInfo {
  readonly typeName: string;
  readonly reason: string | undefined;
  readonly by: string | undefined;
  readonly pausedAt: Date;
  /** When the pause ends by itself; undefined: when the type is resumed. */
  readonly until: Date | undefined;
}

/** The jobs of one type, version and pool that are ready, scheduled or running. */
export interface QueuedJobs {
  readonly typeName: string;
  /** The version in which their inputs are stored. */
  readonly version: number;
  /** Undefined: they are in no pool. */
  readonly pool: string | undefined;
  readonly ready: number;
  readonly scheduled: number;
  readonly running: number;
  /** How many live workers claim them. 0: they wait for one that handles the type, reads the version and serves the pool. */
  readonly workers: number;
}

/** The numbers of jobs of one type in each status. */
export interface JobCounts extends Readonly<Record<JobStatus, number>> {
  /** How long the oldest ready one has been ready; undefined when none is. */
  readonly oldestReadyMs: number | undefined;
  /** How many of the ready ones wait for a limit; they do not count for `oldestReadyMs`. Undefined: none. */
  readonly limited?: number | undefined;
  /** How long the oldest of those has been ready. */
  readonly oldestLimitedMs?: number | undefined;
}
