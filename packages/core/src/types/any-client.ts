import type { ChainStatus, JobStatus } from "../model/status.ts";
import type { Chain } from "./chain.ts";
import type { DoctorOptions, DoctorReport } from "./doctor.ts";
import type { StoredJob } from "./job.ts";
import type { JobCounts, JobExplanation, WorkerInfo } from "./job-reports.ts";
import type {
  ById,
  FilterOptions,
  LabelOptions,
  Page,
  PageOptions,
  SearchOptions,
  TypeFilter,
} from "./list-options.ts";

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
  getChain(options: ById): Promise<Chain | undefined>;
  getJob(options: ById): Promise<StoredJob<string, unknown, unknown> | undefined>;
  listChains(
    options?: TypeFilter<string> & FilterOptions<ChainStatus> & LabelOptions & SearchOptions,
  ): Promise<Page<Chain>>;
  listJobs(
    options?: TypeFilter<string> & FilterOptions<JobStatus> & SearchOptions,
  ): Promise<Page<StoredJob<string, unknown, unknown>>>;
  listScheduledJobs(options?: TypeFilter<string> & PageOptions): Promise<Page<StoredJob<string, unknown, unknown>>>;
  listChainJobs(options: ById & FilterOptions<JobStatus>): Promise<Page<StoredJob<string, unknown, unknown>>>;
  listBlockedJobs(options: ById & FilterOptions<JobStatus>): Promise<Page<StoredJob<string, unknown, unknown>>>;
  listJobBlockers(options: ById & PageOptions): Promise<Page<Chain & { readonly position: number }>>;
  explainJob(options: ById): Promise<JobExplanation | undefined>;
  listWorkers(): Promise<readonly WorkerInfo[]>;
  countJobs(): Promise<{ readonly [typeName: string]: JobCounts | undefined }>;
  triggerJob(options: ById): Promise<void>;
  triggerJobs(options: { readonly items: readonly ById[] }): Promise<void>;
  cancelChain(options: ById & { readonly reason?: string | undefined }): Promise<void>;
  retryChain(options: ById): Promise<void>;
  deleteChain(options: ById & { readonly cascade?: boolean | undefined }): Promise<readonly string[]>;
  doctor(options?: DoctorOptions): Promise<DoctorReport>;
  close(): Promise<void>;
}
