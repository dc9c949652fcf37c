import type { Chore } from "../../model/chore.ts";
import type { MaintainReply, MaintainRequest } from "../../ports/maintain.ts";
import { freeKey, hasPassed } from "../deduplication.ts";
import { expire } from "../expire.ts";
import { peekKey } from "../lazy-heap.ts";
import { removePassed } from "../pauses.ts";
import type { Store } from "../store.ts";
import { setWorker } from "../workers.ts";

type Pass = (store: Store, request: MaintainRequest, now: number) => MaintainReply;

const passes: Readonly<Record<Chore, Pass>> = {
  retention: expire,
  windows: freeWindows,
  workers: forgetWorkers,
  // The store counts as it writes.
  tally: () => ({ removed: 0, more: false }),
};

/** A pass of one chore. */
export function maintain(
  store: Store,
  request: MaintainRequest & { readonly chore: Chore },
  now: number,
): MaintainReply {
  return passes[request.chore](store, request, now);
}

function freeWindows(store: Store, { limit }: MaintainRequest, now: number): MaintainReply {
  for (let freed = 0; freed < limit; freed += 1) {
    const until = peekKey(store.windows);
    const row = store.windows.items[0];
    if (until === undefined || row === undefined || !hasPassed(row, now)) return { removed: 0, more: false };
    freeKey(store, row);
  }
  return { removed: 0, more: true };
}

/** Also forgets pauses whose time has passed: there are few. */
function forgetWorkers(store: Store, { limit }: MaintainRequest, now: number): MaintainReply {
  removePassed(store, now);
  let forgotten = 0;
  for (const [id, { aliveUntil }] of store.workers) {
    if (aliveUntil > now) continue;
    if (forgotten === limit) return { removed: 0, more: true };
    setWorker(store, id, undefined);
    forgotten += 1;
  }
  return { removed: 0, more: false };
}
