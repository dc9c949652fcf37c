import type { Chore, MaintainReply, MaintainRequest } from "chainwright/adapter";
import type { Store } from "../store.ts";
import { createRetention } from "./retention.ts";

/** A pass of one chore. */
export type Maintain = (request: MaintainRequest & { readonly chore: Chore }, now: number) => MaintainReply;

export function createMaintain(store: Store): Maintain {
  const { tables: t, sql } = store;
  const retention = createRetention(store);
  const freeKeys = sql(
    `delete from ${t.deduplication} where key in (
       select key from ${t.deduplication} where until is not null and until <= ? order by until limit ?)`,
  );
  const forgetWorkers = sql(
    `delete from ${t.worker} where id in (select id from ${t.worker} where alive_until <= ? order by id limit ?)`,
  );
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
      case "windows":
        return bounded(freeKeys, request, now);
      case "workers":
        // There are few pauses.
        removePauses.run(now);
        return bounded(forgetWorkers, request, now);
      case "tally":
        // The only writer updates the sums with each write.
        return { removed: 0, more: false };
    }
  };
}
