import type { MaintainReply, MaintainRequest } from "chainwright";
import type { Store } from "../store.ts";
import { createDeleteChain } from "./delete-chain.ts";

export function createMaintain(store: Store): (request: MaintainRequest, now: number) => MaintainReply {
  const { tables: t } = store;
  const deleteChain = createDeleteChain(store);
  const expired = store.sql<{ seq: number }>(
    `select c.seq from ${t.job} c where c.chain_status = ? and c.chain_ended_at is not null and c.chain_ended_at < ?
       and not exists (select 1 from ${t.blocker} b join ${t.job} j on j.seq = b.job
         where b.chain = c.seq and j.status <> 'completed' and coalesce(j.chain, j.seq) <> c.seq)
     order by c.chain_ended_at limit ?`,
  );
  const passedWindows = store.sql(`delete from ${t.deduplication} where until_at is not null and until_at <= ?`);
  const deadWorkers = store.sql(`delete from ${t.worker} where alive_until <= ?`);

  return ({ completedMs, failedMs, limit }, now) => {
    const limits = [
      ["completed", completedMs],
      ["cancelled", completedMs],
      ["failed", failedMs],
    ] as const;
    let removed = 0;
    for (const [status, olderThanMs] of limits) {
      if (olderThanMs === undefined || removed >= limit) continue;
      for (const { seq } of expired.all(status, now - olderThanMs, limit - removed)) {
        deleteChain(seq);
        removed += 1;
      }
    }
    passedWindows.run(now);
    deadWorkers.run(now);
    return { removed, more: removed >= limit };
  };
}
