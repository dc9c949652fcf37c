import type { Chore } from "../../model/chore.ts";
import type { MaintainReply, MaintainRequest } from "../../ports/maintain.ts";
import { freeKey, hasPassed } from "../deduplication.ts";
import { expire } from "../expire.ts";
import { forgetHistory } from "../history.ts";
import { peekKey } from "../lazy-heap.ts";
import { forgetLostWorkers } from "../lost-workers.ts";
import { keepLimits } from "../limit-upkeep.ts";
import { forgetNotes } from "../notes.ts";
import { removePassed } from "../pauses.ts";
import { forgetTicks } from "../../rules/schedules.ts";
import { scheduleRows } from "../schedule-rows.ts";
import { forgetPublications } from "../signals.ts";
import type { Store } from "../store.ts";

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

/** Also forgets old ticks, publications and what completed jobs have noted, once no key is left to free. */
function freeWindows(store: Store, { limit }: MaintainRequest, now: number): MaintainReply {
  for (let freed = 0; freed < limit; freed += 1) {
    const until = peekKey(store.windows);
    const row = store.windows.items[0];
    if (until === undefined || row === undefined || !hasPassed(row, now))
      return { removed: 0, more: forgetOld(store, limit, now) };
    freeKey(store, row);
  }
  return { removed: 0, more: true };
}

function forgetOld(store: Store, limit: number, now: number): boolean {
  const moreTicks = forgetTicks(scheduleRows(store), limit, now);
  const moreNotes = forgetNotes(store, limit);
  return forgetPublications(store, limit, now) || moreTicks || moreNotes;
}

/** Also forgets pauses whose time has passed, of which there are few, and what limits leave behind. */
function forgetWorkers(store: Store, { limit }: MaintainRequest, now: number): MaintainReply {
  removePassed(store, now);
  const moreHistory = forgetHistory(store, limit, now);
  const more = keepLimits(store, limit, now) || moreHistory;
  return { removed: 0, more: forgetLostWorkers(store, limit, now) || more };
}
