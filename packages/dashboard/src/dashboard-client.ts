import type { AnyClient } from "chainwright";

/** The calls that actions need beside those of every client, types erased. */
export interface DashboardClient extends AnyClient {
  transaction<T>(run: (tx: unknown) => Promise<T>): Promise<T>;
  cancelChains(options: Items<{ readonly id: string; readonly reason?: string | undefined }>): Promise<void>;
  retryChains(options: Items<RetryItem>): Promise<void>;
  deleteChains(
    options: Items<{ readonly id: string }> & { readonly cascade?: boolean | undefined },
  ): Promise<readonly string[]>;
  triggerJobs(options: Items<{ readonly id: string }>): Promise<void>;
}

/** A chain to be retried; an input comes with the type of its step. */
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

/** Every client has these calls, whatever its job types; that this is one can only be seen at run time. */
export function isDashboardClient(client: object): client is DashboardClient {
  const asked = new Map<string, unknown>(Object.entries(client));
  return calls.every((call) => typeof asked.get(call) === "function");
}
