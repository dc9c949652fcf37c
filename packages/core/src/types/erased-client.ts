import type { AnyClient } from "./any-client.ts";
import type { Chain, StartedChain } from "./chain.ts";
import type { JobCounts, QueuedJobs } from "./job-reports.ts";
import type { ListNotesOptions, JobNotes } from "./note-calls.ts";
import type { Page } from "./list-options.ts";
import type { RecurringSchedule, ScheduleTick } from "./recurring.ts";

/**
 * A client with its calls of typed payloads as well: payloads, options and transactions are `unknown`, and are checked at run time. For
 * a door to a client, such as a dashboard or a command line; applications use their own typed client. See `isErasedClient`.
 */
export interface ErasedClient extends AnyClient {
  transaction<Result>(run: (tx: unknown) => Promise<Result>): Promise<Result>;
  startChains(options: ErasedItems<ErasedStart>): Promise<readonly StartedChain<string, unknown>[]>;
  /** What `countJobs` and `countQueuedJobs` return, for the cost of one of them. */
  countAllJobs(): Promise<{
    readonly byType: { readonly [typeName: string]: JobCounts | undefined };
    readonly queued: readonly QueuedJobs[];
  }>;
  /** The first page of the blockers of each of these jobs, in their order, in one read. */
  listManyBlockers(options: {
    readonly ids: readonly string[];
    readonly limit: number;
    readonly mostPayloadBytes: number;
  }): Promise<readonly Page<Chain & { readonly position: number }>[]>;
  awaitChain(
    chain: { readonly id: string },
    wait: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
  ): Promise<Chain>;
  cancelChains(
    options: ErasedItems<{ readonly id: string; readonly reason?: string | undefined }>,
  ): Promise<readonly { readonly cancelled: readonly string[] }[]>;
  retryChain(options: ErasedRetry & InTx): Promise<void>;
  retryChains(options: ErasedItems<ErasedRetry>): Promise<void>;
  deleteChains(
    options: ErasedItems<{ readonly id: string }> & { readonly cascade?: boolean | undefined },
  ): Promise<readonly string[]>;
  triggerJobs(options: ErasedItems<{ readonly id: string }>): Promise<void>;
  signalChain(options: ErasedSignal & InTx): Promise<{ readonly delivered: string }>;
  signalChains(options: ErasedItems<ErasedSignal>): Promise<readonly { readonly delivered: string }[]>;
  pauseJobTypes(
    options: TypeNames & {
      readonly reason?: string | undefined;
      readonly by?: string | undefined;
      readonly forMs?: number | undefined;
    },
  ): Promise<void>;
  resumeJobTypes(options: TypeNames): Promise<void>;
  changeLimit(options: Parameters<AnyClient["changeLimit"]>[0] & InTx): Promise<void>;
  resetLimit(options: Parameters<AnyClient["resetLimit"]>[0] & InTx): Promise<void>;
  pauseLimit(options: Parameters<AnyClient["pauseLimit"]>[0] & InTx): Promise<void>;
  resumeLimit(options: Parameters<AnyClient["resumeLimit"]>[0] & InTx): Promise<void>;
  listNotes(options: ListNotesOptions): Promise<readonly (JobNotes | undefined)[]>;
  listSchedules(
    options?: Listed & {
      readonly ids?: readonly string[] | undefined;
      readonly typeName?: readonly string[] | undefined;
    },
  ): Promise<Page<RecurringSchedule>>;
  listTicks(
    options: Listed & { readonly id?: string | undefined; readonly ids?: readonly string[] | undefined },
  ): Promise<Page<ScheduleTick>>;
  pauseSchedule(options: ById & { readonly reason?: string | undefined }): Promise<RecurringSchedule>;
  resumeSchedule(options: ById): Promise<RecurringSchedule>;
  triggerSchedule(options: ById): Promise<StartedChain<string, unknown>>;
  updateSchedule(
    options: ById & {
      readonly cron?: string | undefined;
      readonly timeZone?: string | undefined;
      readonly everyMs?: number | undefined;
      readonly ifRevision?: number | undefined;
    },
  ): Promise<RecurringSchedule>;
  resetSchedule(options: ById): Promise<RecurringSchedule>;
  deleteSchedule(options: ById): Promise<void>;
}

/** A start, as `startChains` takes it, its input unchecked by types. */
export interface ErasedStart {
  readonly typeName: string;
  readonly input: unknown;
  readonly id?: string | undefined;
  readonly schedule?: object | undefined;
  readonly deadline?: object | undefined;
  readonly priority?: number | undefined;
  readonly pool?: string | null | undefined;
  readonly deduplication?: object | undefined;
  readonly debounce?: object | undefined;
  readonly throttle?: object | undefined;
  readonly tags?: object | undefined;
  readonly blockers?: readonly object[] | undefined;
  readonly onBlockerFailure?: string | undefined;
  readonly signals?: readonly object[] | undefined;
  readonly whenStopped?: string | undefined;
}

/** A chain to retry. An `input` needs the `typeName` of the step that it is for. */
export interface ErasedRetry {
  readonly id: string;
  readonly typeName?: string | undefined;
  readonly input?: unknown;
}

/** A signal, as `signalChain` takes it, its payload unchecked by types. */
export interface ErasedSignal {
  readonly id: string;
  readonly typeName: string;
  readonly signal: string;
  readonly payload: unknown;
  readonly signalId?: string | undefined;
}

/** The items of a call that changes all of them or none. */
export interface ErasedItems<out Item> extends InTx {
  readonly items: readonly Item[];
}

interface InTx {
  readonly tx?: unknown;
}
interface ById extends InTx {
  readonly id: string;
}
interface TypeNames extends InTx {
  readonly typeNames: readonly string[];
}
interface Listed extends InTx {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}
