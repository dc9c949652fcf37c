import type { Store } from "../store.ts";

/**
 * Whether a job that was just written waits, however far, for the chain it belongs to; answers the chains on the way
 * round, the job's own last. One writer at a time: no other continuation can close the ring meanwhile.
 */
export function createCycleCheck(store: Store): (job: number, chain: number) => readonly string[] | undefined {
  const { tables: t } = store;
  const blockersOf = store.sql<{ seq: number; id: string }>(
    `select distinct c.seq, c.id from ${t.blocker} b join ${t.job} c on c.seq = b.chain
     where b.job = ? and c.chain_status = 'active'`,
  );
  const blockedLast = store.sql<{ seq: number }>(
    `select seq from ${t.job} where chain = ? and status = 'blocked' order by chain, step desc limit 1`,
  );
  const blockedFirst = store.sql<{ seq: number }>(`select seq from ${t.job} where seq = ? and status = 'blocked'`);

  return (job, chain) => {
    const seen = new Set<number>();
    const pending: Way[] = [{ job, ids: [] }];
    for (let way = pending.pop(); way !== undefined; way = pending.pop()) {
      for (const blocker of blockersOf.all(way.job)) {
        const ids = [...way.ids, blocker.id];
        if (blocker.seq === chain) return ids;
        if (seen.has(blocker.seq)) continue;
        seen.add(blocker.seq);
        const blocked = blockedLast.get(blocker.seq) ?? blockedFirst.get(blocker.seq);
        if (blocked !== undefined) pending.push({ job: blocked.seq, ids });
      }
    }
    return undefined;
  };
}

interface Way {
  readonly job: number;
  readonly ids: readonly string[];
}
