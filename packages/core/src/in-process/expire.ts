import type { MaintainReply, MaintainRequest } from "../ports/maintain.ts";
import { chainsBlockedBy, deleteChain } from "./delete-chain.ts";
import { hasOpenFollowUps } from "./ends.ts";
import { takeUpTo } from "./lazy-heap.ts";
import { putOff, takeDue } from "./put-off.ts";
import { chainOf } from "./row-types.ts";
import { reconsider } from "./store.ts";
import type { Store } from "./store.ts";

/** A chain that has expired but is needed is checked again after a time equal to its age, within these bounds. */
const [leastPauseMs, mostPauseMs] = [60_000, 86_400_000];

/** Deletes the chains that ended before their moment, oldest first. */
export function expire(store: Store, { completedMs, failedMs, limit }: MaintainRequest, now: number): MaintainReply {
  for (let row = takeDue(store.needed, now); row !== undefined; row = takeDue(store.needed, now))
    reconsider(store, row);
  const kinds = [
    { ended: store.ended, keptMs: completedMs },
    { ended: store.failed, keptMs: failedMs },
  ];
  let [removed, looked] = [0, 0];
  for (const { ended, keptMs } of kinds) {
    if (keptMs === undefined) continue;
    for (; looked < limit; looked += 1) {
      const row = takeUpTo(ended, now - keptMs);
      if (row === undefined) break;
      const chain = chainOf(row);
      if (chainsBlockedBy(chain).length > 0 || hasOpenFollowUps(chain)) {
        putOff(store.needed, row, now + Math.min(mostPauseMs, Math.max(leastPauseMs, now - chain.createdAt)));
      } else {
        deleteChain(store, chain);
        removed += 1;
      }
    }
  }
  return { removed, more: looked >= limit };
}
