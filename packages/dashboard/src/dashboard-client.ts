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
}

/** A chain to retry. An `input` needs the `typeName` of the step that it is for. */
export interface RetryItem {
  readonly id: string;
  readonly typeName?: string | undefined;
  readonly input?: unknown;
}

interface Items<Item> {
  readonly items: readonly Item[];
  readonly tx?: unknown;
}

const calls = ["transaction", "cancelChains", "retryChains", "deleteChains", "triggerJobs", "countJobs", "listChains"];

/** Checks at run time that a value is a client: every client has these calls, for any job types. */
export function isDashboardClient(client: object): client is DashboardClient {
  const members = new Map<string, unknown>(Object.entries(client));
  return calls.every((call) => typeof members.get(call) === "function");
}
