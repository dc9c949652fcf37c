import { rules, type Chore, type MaintainReply, type MaintainRequest } from "chainwright/adapter";
import { createScheduleRows } from "../rows/schedules.ts";
import { createLateEnds } from "../ends/late-ends.ts";
import type { SqliteRows } from "../rows/job-row.ts";
import { createForgetNotes } from "../notes/forget-notes.ts";
import { createForgetHistory } from "./history.ts";
import { createForgetPublications } from "../signals/forget-publications.ts";
import type { Store } from "../store.ts";
import { createLimitUpkeep } from "./limits.ts";
import { createForgetLostWorkers } from "./lost-workers.ts";
import { createRetention } from "./retention.ts";

/** A pass of one chore. */
export type Maintain = (request: MaintainRequest & { readonly chore: Chore }, now: number) => MaintainReply;

export function createMaintain(store: Store, rows: SqliteRows): Maintain {
  const { tables: t, sql } = store;
  const retention = createRetention(store);
  const schedules = createScheduleRows(store);
  const limits = createLimitUpkeep(store);
  const freeKeys = sql(
    `delete from ${t.deduplication} where key in (
       select key from ${t.deduplication} where until is not null and until <= ? order by until limit ?)`,
  );
  const followLateEnds = createLateEnds(store, rows);
  const forgetPublications = createForgetPublications(store);
  const forgetHistory = createForgetHistory(store);
  const forgetNotes = createForgetNotes(store);
  const forgetLostWorkers = createForgetLostWorkers(store);
  const removePauses = sql(`delete from ${t.pause} where until <= ?`);
  const changes = sql<{ count: number }>("select changes() as count");

  const bounded = (statement: typeof freeKeys, { limit }: MaintainRequest, now: number): MaintainReply => {
    statement.run(now, limit);
    return { removed: 0, more: (changes.get()?.count ?? 0) >= limit };
  };

  return (request, now) => {
    switch (request.chore) {
      case "retention":
        return retention(request, now);
      case "windows": {
        const keys = bounded(freeKeys, request, now).more;
        const ticks = rules.forgetTicks(schedules, request.limit, now);
        const { more } = limits.tidy(request.limit, now);
        const publications = forgetPublications(request.limit, now);
        const notes = forgetNotes(request.limit);
        return { removed: 0, more: keys || ticks || more || publications || notes };
      }
      case "workers":
        // There are few pauses.
        removePauses.run(now);
        limits.release(request.limit, now);
        {
          const moreHistory = forgetHistory(request.limit, now);
          const more = followLateEnds(request.limit, now) || moreHistory;
          return { removed: 0, more: forgetLostWorkers(request.limit, now) || more };
        }
      case "tally":
        // The only writer updates the sums with each write.
        return { removed: 0, more: false };
    }
  };
}
