import type { Refusal, Reply, RetryReply, RetryItem } from "../../ports/state.ts";
import { allOrNothing } from "../journal.ts";
import { nothing, refused, toStartedJob } from "../records.ts";
import { chainStatusOf, lastOf, openBlockers } from "../rows.ts";
import type { JobRow } from "../rows.ts";
import { reblock, reopen, rivalOf } from "../reopen.ts";
import type { Store } from "../store.ts";

export function retry(store: Store, items: readonly RetryItem[], now: number): Reply<readonly RetryReply[]> {
  return allOrNothing(store, () => {
    const value: RetryReply[] = [];
    for (const item of items) {
      const chain = retryOne(store, item, now);
      if ("code" in chain) return refused(chain);
      value.push(chain);
    }
    return { ok: true, value };
  });
}

function retryOne(store: Store, { chainId: id, input, typeName }: RetryItem, now: number): RetryReply | Refusal {
  const chain = store.jobs.get(id);
  if (chain === undefined || chain.chain !== undefined) return { code: "chain-not-found", id };
  const actual = chainStatusOf(chain);
  if (actual === "active" || actual === "completed") return { code: "chain-not-retryable", id, actual };
  const row = lastOf(chain);
  const actualType = row.lane.type.name;
  if (typeName !== undefined && typeName !== actualType) return { code: "job-type-mismatch", id, actual: actualType };
  const references = standingInTheWay(store, chain, now);
  if (references.length > 0) return { code: "chain-not-retryable", id, actual, references };
  reopen(store, row, input, now);
  const job = toStartedJob(row, now);
  return { job, unblocked: nothing, failed: nothing, reblocked: reblock(store, chain, now) };
}

/** Ids of chains that keep one from going on: a rival for its deduplication key, or blockers that would fail it again. */
function standingInTheWay(store: Store, chain: JobRow, now: number): readonly string[] {
  const rival = rivalOf(store, chain, now);
  if (rival !== undefined) return [rival.id];
  const { blocking, onBlockerFailure } = lastOf(chain);
  if (blocking === undefined || onBlockerFailure === "wait") return nothing;
  const open = openBlockers(blocking.chains);
  return open
    .filter((blocker) => chainStatusOf(blocker) !== "active")
    .map(({ id }) => id)
    .sort();
}
