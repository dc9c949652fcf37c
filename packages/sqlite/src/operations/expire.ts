import type { MaintainRequest } from "chainwright";
import type { Store } from "../store.ts";
import { createDeleteChain } from "./delete-chain.ts";

/** A chain, as its first job tells of it. */
interface Passed {
  readonly seq: number;
  readonly chain_status: string;
  readonly created_at: number;
  readonly chain_ended_at: number | null;
}

/** Chains read at once. */
const batch = 500;

/**
 * Walks along the chains from where the last pass stopped, oldest first, and deletes those that ended before their moment;
 * one that another still needs stays. A chain cannot have ended before it began: at the first one that is too young the walk
 * is at its end, and the next pass begins anew. What stays for good (failed chains, by default) is passed by again on every
 * walk; the number of chains that a pass looks at is limited for that. An index by the moments at which chains ended would
 * lead straight to them, and cost each end 2 us of 24 and a page of the log.
 */
export function createExpire(store: Store): (request: MaintainRequest, now: number) => number {
  const { tables: t } = store;
  const deleteChain = createDeleteChain(store);
  const walked = store.sql<{ value: string }>(`select value from ${t.meta} where key = 'retention'`);
  const noteWalked = store.sql(
    `insert into ${t.meta} (key, value) values ('retention', ?) on conflict (key) do update set value = excluded.value`,
  );
  const next = store.sql<Passed>(
    `select seq, chain_status, created_at, chain_ended_at from ${t.job}
     where seq > ? and seq <= ? and chain is null order by seq limit ?`,
  );
  const need = store.sql<{ needed: 1 }>(
    `select 1 as needed from ${t.blocker} b join ${t.job} j on j.seq = b.job
     where b.chain = ? and j.status <> 'completed' and coalesce(j.chain, j.seq) <> ? limit 1`,
  );

  const removeExpired = (chains: readonly Passed[], limits: Limits): number => {
    const expired = chains.filter((chain) => isExpired(chain, limits));
    const free = expired.filter(({ seq }) => need.get(seq, seq) === undefined);
    for (const { seq } of free) deleteChain(seq);
    return free.length;
  };

  return ({ completedMs, failedMs, limit }, now) => {
    const limits = { completed: now - (completedMs ?? Infinity), failed: now - (failedMs ?? Infinity) };
    const youngest = Math.max(limits.completed, limits.failed);
    if (youngest === -Infinity) return 0;
    const from = Number(walked.get()?.value ?? 0);
    let [position, end, removed, looked] = [from, Number.MAX_SAFE_INTEGER, 0, 0];
    while (removed < limit && looked < 10 * limit + 1_000) {
      const most = Math.min(limit - removed, batch);
      const chains = next.all(position, end, most);
      looked += chains.length;
      removed += removeExpired(chains, limits);
      const last = chains.at(-1);
      if (last !== undefined && chains.length === most && last.created_at <= youngest) {
        position = last.seq;
        continue;
      }
      // Once round: from the beginning to where this pass began.
      position = 0;
      if (from === 0 || end === from) break;
      end = from;
    }
    if (position !== from) noteWalked.run(String(position));
    return removed;
  };
}

/** What ended before these moments may go. */
interface Limits {
  readonly completed: number;
  readonly failed: number;
}

function isExpired({ chain_status: status, chain_ended_at: endedAt }: Passed, { completed, failed }: Limits): boolean {
  return endedAt !== null && endedAt < (status === "failed" ? failed : completed);
}
