import type { AnyClient, JobNotes, ListNotesOptions, Page, RecurringSchedule, ScheduleTick } from "chainwright";

/** The calls that actions need in addition to those of `AnyClient`, with erased types. */
export interface DashboardClient extends AnyClient {
  transaction<T>(run: (tx: unknown) => Promise<T>): Promise<T>;
  cancelChains(options: Items<{ readonly id: string; readonly reason?: string | undefined }>): Promise<void>;
  retryChains(options: Items<RetryItem>): Promise<void>;
  deleteChains(
    options: Items<{ readonly id: string }> & { readonly cascade?: boolean | undefined },
  ): Promise<readonly string[]>;
  triggerJobs(options: Items<{ readonly id: string }>): Promise<void>;
  signalChains(
    options: Items<{
      readonly id: string;
      readonly typeName: string;
      readonly signal: string;
      readonly payload: unknown;
    }>,
  ): Promise<unknown>;
  pauseJobTypes(
    options: TypeNames & { readonly reason?: string | undefined; readonly by?: string | undefined },
  ): Promise<void>;
  resumeJobTypes(options: TypeNames): Promise<void>;
  changeLimit(options: Parameters<AnyClient["changeLimit"]>[0] & InTransaction): Promise<void>;
  resetLimit(options: Parameters<AnyClient["resetLimit"]>[0] & InTransaction): Promise<void>;
  pauseLimit(options: Parameters<AnyClient["pauseLimit"]>[0] & InTransaction): Promise<void>;
  resumeLimit(options: Parameters<AnyClient["resumeLimit"]>[0] & InTransaction): Promise<void>;
  listSchedules(
    options: ListOptions & {
      readonly ids?: readonly string[] | undefined;
      readonly typeName?: readonly string[] | undefined;
      readonly tx?: unknown;
    },
  ): Promise<Page<RecurringSchedule>>;
  listNotes(options: ListNotesOptions): Promise<readonly (JobNotes | undefined)[]>;
  listTicks(options: { readonly ids: readonly string[]; readonly limit: number }): Promise<Page<ScheduleTick>>;
  pauseSchedule(options: Named & { readonly reason?: string | undefined }): Promise<RecurringSchedule>;
  resumeSchedule(options: Named): Promise<RecurringSchedule>;
  triggerSchedule(options: Named): Promise<unknown>;
  updateSchedule(
    options: Named & {
      readonly cron?: string | undefined;
      readonly timeZone?: string | undefined;
      readonly everyMs?: number | undefined;
      readonly ifRevision?: number | undefined;
    },
  ): Promise<RecurringSchedule>;
  resetSchedule(options: Named): Promise<RecurringSchedule>;
  deleteSchedule(options: Named): Promise<void>;
}

/** A chain to retry. An `input` needs the `typeName` of the step that it is for. */
export interface RetryItem {
  readonly id: string;
  readonly typeName?: string | undefined;
  readonly input?: unknown;
}

interface ListOptions {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

interface Named {
  readonly id: string;
  readonly tx?: unknown;
}

interface InTransaction {
  readonly tx?: unknown;
}

interface TypeNames extends InTransaction {
  readonly typeNames: readonly string[];
}

interface Items<Item> extends InTransaction {
  readonly items: readonly Item[];
}

const calls = {
  transaction: true,
  getChain: true,
  getJob: true,
  listChains: true,
  listJobs: true,
  listScheduledJobs: true,
  listChainJobs: true,
  listBlockedJobs: true,
  listJobBlockers: true,
  explainJob: true,
  explainChain: true,
  listUnreadable: true,
  listWorkers: true,
  countJobs: true,
  countQueuedJobs: true,
  listPausedTypes: true,
  pauseJobTypes: true,
  resumeJobTypes: true,
  listSchedules: true,
  listTicks: true,
  listNotes: true,
  pauseSchedule: true,
  resumeSchedule: true,
  triggerSchedule: true,
  updateSchedule: true,
  resetSchedule: true,
  deleteSchedule: true,
  listLimits: true,
  listDeclaredLimits: true,
  changeLimit: true,
  resetLimit: true,
  pauseLimit: true,
  resumeLimit: true,
  listSignals: true,
  signalChains: true,
  triggerJob: true,
  triggerJobs: true,
  cancelChain: true,
  cancelChains: true,
  retryChain: true,
  retryChains: true,
  deleteChain: true,
  deleteChains: true,
  doctor: true,
  close: true,
  [Symbol.asyncDispose]: true,
} satisfies Record<keyof DashboardClient, true>;

/** Checks at run time that a value has all calls of a client. */
export function isDashboardClient(client: unknown): client is DashboardClient {
  if (typeof client !== "object" || client === null) return false;
  return Reflect.ownKeys(calls).every((call) => typeof Reflect.get(client, call) === "function");
}
