import type { Store } from "../store.ts";

/**
 * Whether a job that was just written waits, however far, for the chain it belongs to; answers the chains on the way round,
 * its own first and last. Chains that failed or were cancelled count: retried, they would wait again. One writer at a time:
 * no other continuation can close the ring meanwhile.
 */
export function createCycleCheck(store: Store): (job: number, chain: number) => readonly string[] | undefined {
  const { tables: t } = store;
  const blockersOf = store.sql<{ seq: number; id: string }>(
    `select distinct c.seq, c.id from ${t.blocker} b join ${t.job} c on c.seq = b.chain
     where b.job = ? and c.chain_status <> 'completed'`,
  );
  const lastStep = store.sql<{ seq: number }>(
    `select seq from ${t.job} where chain = ? order by chain, step desc limit 1`,
  );

  return (job, chain) => {
    const seen = new Set<number>();
    const ways: Way[] = [{ job, ids: [] }];
    // Grows while it is walked.
    for (const way of ways) {
      for (const blocker of blockersOf.all(way.job)) {
        if (blocker.seq === chain) return [blocker.id, ...way.ids, blocker.id];
        if (seen.has(blocker.seq)) continue;
        seen.add(blocker.seq);
        ways.push({ job: lastStep.get(blocker.seq)?.seq ?? blocker.seq, ids: [...way.ids, blocker.id] });
      }
    }
    return undefined;
  };
}

interface Way {
  readonly job: number;
  readonly ids: readonly string[];
}
