import type { AnyClient, JobNotes, Page, RecurringSchedule, ScheduleTick, StartedChain } from "chainwright";

interface InTx {
  readonly tx?: unknown;
}
interface Items<Item> extends InTx {
  readonly items: readonly Item[];
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

/** A start as the command line knows it. */
export interface StartItem {
  readonly typeName: string;
  readonly input: unknown;
  readonly id?: string | undefined;
  readonly schedule?: { readonly afterMs: number } | undefined;
  readonly priority?: number | undefined;
  readonly pool?: string | undefined;
  readonly deduplication?: { readonly key: string } | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
}

/** The calls that commands need in addition to those of `AnyClient`, with erased types. */
export interface CliClient extends AnyClient {
  transaction<T>(run: (tx: unknown) => Promise<T>): Promise<T>;
  startChains(options: Items<StartItem>): Promise<readonly StartedChain<string, unknown>[]>;
  awaitChain(
    chain: { readonly id: string },
    wait: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
  ): Promise<{ readonly output: unknown }>;
  cancelChains(
    options: Items<{ readonly id: string; readonly reason?: string | undefined }>,
  ): Promise<readonly { readonly cancelled: readonly string[] }[]>;
  retryChains(
    options: Items<{ readonly id: string; readonly typeName?: string | undefined; readonly input?: unknown }>,
  ): Promise<void>;
  deleteChains(
    options: Items<{ readonly id: string }> & { readonly cascade?: boolean | undefined },
  ): Promise<readonly string[]>;
  triggerJobs(options: Items<{ readonly id: string }>): Promise<void>;
  signalChain(
    options: ById & {
      readonly typeName: string;
      readonly signal: string;
      readonly payload: unknown;
      readonly signalId?: string | undefined;
    },
  ): Promise<{ readonly delivered: string }>;
  pauseJobTypes(
    options: TypeNames & {
      readonly reason?: string | undefined;
      readonly by?: string | undefined;
      readonly forMs?: number | undefined;
    },
  ): Promise<void>;
  resumeJobTypes(options: TypeNames): Promise<void>;
  listNotes(
    options: Items<{ readonly id: string }> & { readonly limit?: number | undefined },
  ): Promise<readonly (JobNotes | undefined)[]>;
  listSchedules(
    options: Listed & {
      readonly typeName?: readonly string[] | undefined;
      readonly ids?: readonly string[] | undefined;
    },
  ): Promise<Page<RecurringSchedule>>;
  listTicks(options: ById & Listed): Promise<Page<ScheduleTick>>;
  pauseSchedule(options: ById & { readonly reason?: string | undefined }): Promise<RecurringSchedule>;
  resumeSchedule(options: ById): Promise<RecurringSchedule>;
  triggerSchedule(options: ById): Promise<StartedChain<string, unknown>>;
  deleteSchedule(options: ById): Promise<void>;
  changeLimit(options: Parameters<AnyClient["changeLimit"]>[0] & InTx): Promise<void>;
  resetLimit(options: Parameters<AnyClient["resetLimit"]>[0] & InTx): Promise<void>;
  pauseLimit(options: Parameters<AnyClient["pauseLimit"]>[0] & InTx): Promise<void>;
  resumeLimit(options: Parameters<AnyClient["resumeLimit"]>[0] & InTx): Promise<void>;
}

const calls = {
  transaction: true,
  startChains: true,
  awaitChain: true,
  cancelChains: true,
  retryChains: true,
  deleteChains: true,
  triggerJobs: true,
  signalChain: true,
  pauseJobTypes: true,
  resumeJobTypes: true,
  listNotes: true,
  listSchedules: true,
  listTicks: true,
  pauseSchedule: true,
  resumeSchedule: true,
  triggerSchedule: true,
  deleteSchedule: true,
  listLimits: true,
  countJobs: true,
  doctor: true,
  close: true,
} satisfies Partial<Record<keyof CliClient, true>>;

/** Checks at run time that a value is a client. */
export function isCliClient(client: unknown): client is CliClient {
  if (typeof client !== "object" || client === null) return false;
  return Object.keys(calls).every((call) => typeof Reflect.get(client, call) === "function");
}
