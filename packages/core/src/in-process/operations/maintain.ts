import type { MaintainReply, MaintainRequest } from "../../ports/state.ts";
import { freeKey, hasPassed } from "../deduplication.ts";
import { chainsHeldBy, deleteChain } from "../delete-chain.ts";
import { peekKey } from "../lazy-heap.ts";
import type { LazyHeap } from "../lazy-heap.ts";
import { popHeap, pushHeap } from "../heap.ts";
import { chainOf } from "../rows.ts";
import type { JobRow } from "../rows.ts";
import type { Store } from "../store.ts";
import { setWorker } from "../workers.ts";

export function maintain(store: Store, { completedMs, failedMs, limit }: MaintainRequest, now: number): MaintainReply {
  let removed = 0;
  if (completedMs !== undefined) removed += expire(store, store.ended, { until: now - completedMs, limit });
  if (failedMs !== undefined) removed += expire(store, store.failed, { until: now - failedMs, limit: limit - removed });
  for (;;) {
    const until = peekKey(store.windows);
    const row = store.windows.items[0];
    if (until === undefined || row === undefined || !hasPassed(row, now)) break;
    freeKey(store, row);
  }
  for (const [id, { aliveUntil }] of store.workers) if (aliveUntil <= now) setWorker(store, id, undefined);
  return { removed, more: removed >= limit };
}

/** Deletes the chains that ended before a moment, oldest first. */
function expire(store: Store, ended: LazyHeap<JobRow>, { until, limit }: { until: number; limit: number }): number {
  let removed = 0;
  const held: JobRow[] = [];
  while (removed < limit) {
    const key = peekKey(ended);
    const row = key === undefined || key >= until ? undefined : popHeap(ended);
    if (row === undefined) break;
    if (chainsHeldBy(chainOf(row)).length > 0) held.push(row);
    else {
      deleteChain(store, chainOf(row));
      removed += 1;
    }
  }
  for (const row of held) pushHeap(ended, row.endedAt ?? until, row);
  return removed;
}
