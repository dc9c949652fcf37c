import type { AnyClient } from "chainwright";

/** The calls that actions need in addition to those of `AnyClient`, with erased types. */
export interface DashboardClient extends AnyClient {
  transaction<T>(run: (tx: unknown) => Promise<T>): Promise<T>;
  cancelChains(options: Items<{ readonly id: string; readonly reason?: string | undefined }>): Promise<void>;
  retryChains(options: Items<RetryItem>): Promise<void>;
  deleteChains(
    options: Items<{ readonly id: string }> & { readonly cascade?: boolean | undefined },
  ): Promise<readonly string[]>;
  triggerJobs(options: Items<{ readonly id: string }>): Promise<void>;
  pauseJobTypes(
    options: TypeNames & { readonly reason?: string | undefined; readonly by?: string | undefined },
  ): Promise<void>;
  resumeJobTypes(options: TypeNames): Promise<void>;
}

/** A chain to retry. An `input` needs the `typeName` of the step that it is for. */
export interface RetryItem {
  readonly id: string;
  readonly typeName?: string | undefined;
  readonly input?: unknown;
}

interface TypeNames {
  readonly typeNames: readonly string[];
  readonly tx?: unknown;
}

interface Items<Item> {
  readonly items: readonly Item[];
  readonly tx?: unknown;
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
  listPausedTypes: true,
  pauseJobTypes: true,
  resumeJobTypes: true,
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
