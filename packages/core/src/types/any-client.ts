import type { ChainStatus, JobStatus } from "../model/status.ts";
import type { Chain } from "./chain.ts";
import type { DoctorOptions, DoctorReport } from "./doctor.ts";
import type { StoredJob } from "./job.ts";
import type { JobHistory, JobHistoryOptions } from "./job-history.ts";
import type {
  JobCounts,
  JobExplanation,
  PausedTypeInfo,
  QueuedJobs,
  LostWorkerInfo,
  WorkerInfo,
} from "./job-reports.ts";
import type { FailureFilter, FailureGroups, GroupFailuresOptions } from "./failure-groups.ts";
import type { ListLimits } from "./limit-calls.ts";
import type { DeclaredLimit, LimitInfo } from "./limit-reports.ts";
import type { RateOptions } from "./limits.ts";
import type {
  BlockerFilter,
  ByChainId,
  ByJobId,
  FilterOptions,
  LabelOptions,
  Page,
  PageOptions,
  PayloadOptions,
  NewestOfChains,
  SearchOptions,
  TypeFilter,
} from "./list-options.ts";
import type { ListSignalsOptions } from "./signal-calls.ts";
import type { StoredSignalInfo } from "./signals.ts";
import type { UnreadableJobs, UnreadableOptions } from "./unreadable.ts";

/**
 * A client of any job types, for a program that reads or changes chains and jobs without knowing their types. Every client
 * can be passed as one.
 *
 * @example
 * async function failures(client: AnyClient): Promise<number> {
 *   const counts = await client.countJobs();
 *   return Object.values(counts).reduce((sum, count) => sum + (count?.failed ?? 0), 0);
 * }
 */
export interface AnyClient extends AsyncDisposable {
  getChain(options: ByChainId): Promise<Chain | undefined>;
  getJob(options: ByJobId): Promise<StoredJob<string, unknown, unknown> | undefined>;
  listChains(
    options?: TypeFilter<string> & FilterOptions<ChainStatus> & LabelOptions & SearchOptions & PayloadOptions,
  ): Promise<Page<Chain>>;
  listJobs(
    options?: TypeFilter<string> &
      FilterOptions<JobStatus> &
      SearchOptions &
      PayloadOptions &
      NewestOfChains &
      FailureFilter,
  ): Promise<Page<StoredJob<string, unknown, unknown>>>;
  listScheduledJobs(
    options?: TypeFilter<string> & PageOptions & PayloadOptions,
  ): Promise<Page<StoredJob<string, unknown, unknown>>>;
  listChainJobs(
    options: ByChainId & FilterOptions<JobStatus> & PayloadOptions,
  ): Promise<Page<StoredJob<string, unknown, unknown>>>;
  listBlockedJobs(
    options: ByChainId & FilterOptions<JobStatus> & PayloadOptions,
  ): Promise<Page<StoredJob<string, unknown, unknown>>>;
  listJobBlockers(
    options: ByJobId & BlockerFilter & PageOptions & PayloadOptions,
  ): Promise<Page<Chain & { readonly position: number }>>;
  listSignals(options: ListSignalsOptions): Promise<Page<StoredSignalInfo>>;
  explainJob(options: ByJobId): Promise<JobExplanation | undefined>;
  explainChain(options: ByChainId): Promise<JobExplanation | undefined>;
  listUnreadable(options?: UnreadableOptions): Promise<UnreadableJobs>;
  listWorkers(): Promise<readonly WorkerInfo[]>;
  groupFailures(options?: GroupFailuresOptions<string>): Promise<FailureGroups>;
  listLostWorkers(): Promise<readonly LostWorkerInfo[]>;
  countJobs(
    options?: Pick<FilterOptions<JobStatus>, "status">,
  ): Promise<{ readonly [typeName: string]: JobCounts | undefined }>;
  jobHistory(options?: JobHistoryOptions): Promise<JobHistory>;
  countQueuedJobs(): Promise<readonly QueuedJobs[]>;
  listPausedTypes(): Promise<readonly PausedTypeInfo[]>;
  listLimits(options?: ListLimits<undefined>): Promise<Page<LimitInfo>>;
  listDeclaredLimits(): Promise<readonly DeclaredLimit[]>;
  changeLimit(options: {
    readonly limit: string;
    readonly key?: string | undefined;
    readonly concurrency?: number | undefined;
    readonly rate?: RateOptions | undefined;
  }): Promise<void>;
  resetLimit(options: { readonly limit: string; readonly key?: string | undefined }): Promise<void>;
  pauseLimit(options: {
    readonly limit: string;
    readonly key?: string | undefined;
    readonly forMs?: number | undefined;
  }): Promise<void>;
  resumeLimit(options: { readonly limit: string; readonly key?: string | undefined }): Promise<void>;
  triggerJob(options: ByJobId): Promise<void>;
  triggerJobs(options: { readonly items: readonly ByJobId[] }): Promise<void>;
  cancelChain(
    options: ByChainId & { readonly reason?: string | undefined; readonly blockers?: "cancel" | "leave" | undefined },
  ): Promise<{ readonly cancelled: readonly string[] }>;
  retryChain(options: ByChainId): Promise<void>;
  deleteChain(options: ByChainId & { readonly cascade?: boolean | undefined }): Promise<readonly string[]>;
  doctor(options?: DoctorOptions): Promise<DoctorReport>;
  close(): Promise<void>;
}
