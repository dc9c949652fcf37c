import type { ErasedClient } from "chainwright/adapter";
import { inTransaction } from "../rolled-back.ts";

/** A change of several chains or jobs, all or nothing. */
export type Change = (items: readonly { readonly id: string }[], tx: unknown) => Promise<readonly string[]>;

export interface Refused {
  readonly id: string;
  readonly code: string;
  readonly message: string;
}

/** A true account of what was done. */
export interface Account {
  readonly done: number;
  /** Chains that were changed along with those that were asked for. */
  readonly also: readonly string[];
  readonly refused: readonly Refused[];
  /** Not tried, because the work was stopped or the store failed. */
  readonly left: number;
  /** Tried, and the reply was lost: done or not. */
  readonly unknown: number;
  readonly failure: unknown;
}

interface Bulk {
  readonly client: ErasedClient;
  readonly change: Change;
  readonly dryRun?: true | undefined;
  readonly isStopped: () => boolean;
  readonly progress: (done: number, total: number) => void;
}

const batchSize = 100;
/** After this many refusals a batch is done one by one, because each refusal repeats the call for the others. */
const mostRefusalsTogether = 10;
const refusals: ReadonlySet<unknown> = new Set([
  "chain-not-found",
  "chain-not-active",
  "chain-not-retryable",
  "chain-referenced",
  "job-not-found",
  "job-not-scheduled",
  "job-type-mismatch",
]);

/** Changes chains in batches of 100, each all or nothing without those that the store refuses. */
export async function performAll(ids: readonly string[], bulk: Bulk): Promise<Account> {
  let done = 0;
  const also: string[] = [];
  const refused: Refused[] = [];
  for (let start = 0; start < ids.length; start += batchSize) {
    if (bulk.isStopped()) return { done, also, refused, left: ids.length - start, unknown: 0, failure: undefined };
    const batch = ids.slice(start, start + batchSize);
    const asked = new Set(batch);
    try {
      const performed = await performBatch(batch, bulk);
      done += performed.done;
      also.push(...performed.changed.filter((id) => !asked.has(id)));
      refused.push(...performed.refused);
    } catch (failure) {
      return { done, also, refused, left: ids.length - start - batch.length, unknown: batch.length, failure };
    }
    bulk.progress(Math.min(start + batchSize, ids.length), ids.length);
  }
  return { done, also, refused, left: 0, unknown: 0, failure: undefined };
}

interface Performed {
  readonly done: number;
  readonly changed: readonly string[];
  readonly refused: readonly Refused[];
}

async function performBatch(ids: readonly string[], { client, change, dryRun }: Bulk): Promise<Performed> {
  const refused: Refused[] = [];
  let rest = ids;
  let size = ids.length;
  const changed: string[] = [];
  let done = 0;
  while (rest.length > 0) {
    const items = rest.slice(0, size).map((id) => ({ id }));
    try {
      changed.push(...(await inTransaction(client, { dryRun }, async (tx) => await change(items, tx))));
      done += items.length;
      rest = rest.slice(items.length);
    } catch (error) {
      const refusal = refusalOf(error, items);
      if (refusal === undefined && items.length === 1) throw error;
      if (refusal === undefined && !isRefusal(error)) throw error;
      if (refusal !== undefined) {
        refused.push(refusal);
        rest = rest.filter((id) => id !== refusal.id);
      }
      if (refusal === undefined || refused.length >= mostRefusalsTogether) size = 1;
    }
  }
  return { done, changed, refused };
}

function isRefusal(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && "code" in error && refusals.has(error.code);
}

/** The item that was refused, if the error is a refusal and names one, or there is only one. */
function refusalOf(error: unknown, items: readonly { readonly id: string }[]): Refused | undefined {
  if (!isRefusal(error)) return undefined;
  const details: unknown = "details" in error ? error.details : undefined;
  const named: unknown = typeof details === "object" && details !== null ? Reflect.get(details, "id") : undefined;
  const culprit = items.find(({ id }) => id === named) ?? (items.length === 1 ? items[0] : undefined);
  return culprit === undefined ? undefined : { id: culprit.id, code: error.code, message: error.message };
}
