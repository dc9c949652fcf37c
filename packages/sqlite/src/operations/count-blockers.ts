import type { BlockerCountQuery, BlockerCounts } from "chainwright/adapter";
import type { Store } from "../store.ts";

export function createCountBlockers(store: Store): (query: BlockerCountQuery) => BlockerCounts | undefined {
  const { tables: t, sql } = store;
  const job = sql<{ seq: number }>(`select seq from ${t.job} where id = ? and status = 'blocked'`);
  const newest = sql<{ seq: number }>(
    `select j.seq from ${t.job} f join ${t.job} j on j.seq = coalesce(
       (select n.seq from ${t.job} n where n.chain = f.seq order by n.chain, n.step desc limit 1), f.seq)
     where f.id = ? and f.chain is null and j.status = 'blocked'`,
  );
  const counts = sql<BlockerCounts>(
    `select count(*) as total, count(*) filter (where f.chain_status = 'completed') as completed,
       count(*) filter (where f.chain_status in ('failed', 'cancelled')) as failed
     from (select distinct chain from ${t.blocker} where job = ?) blockers join ${t.job} f on f.seq = blockers.chain`,
  );
  return ({ of, id }) => {
    const blocked = (of === "chain" ? newest : job).get(id);
    const found = blocked && counts.get(blocked.seq);
    // Some libraries add properties to a row.
    return found && { total: found.total, completed: found.completed, failed: found.failed };
  };
}
