import type { MaintainReply, MaintainRequest } from "chainwright/adapter";
import type { Store } from "../store.ts";
import { createDeleteChain } from "../rows/delete-chain.ts";
import { ending, has } from "../rows/extras.ts";
import { createWalked } from "./walked.ts";

/** A chain, as its first job describes it. */
interface Chain {
  readonly seq: number;
  readonly chain_status: "active" | "completed" | "failed" | "cancelled";
  readonly created_at: number;
  readonly chain_ended_at: number | null;
  readonly extras: number | null;
}

/** A job that the walk reads; one that begins no chain has no `chain_status`. */
interface Passed extends Omit<Chain, "chain_status"> {
  readonly chain_status: Chain["chain_status"] | null;
}

/** Chains that ended until then may be deleted; undefined if none may. */
interface Limits {
  readonly completed: number | undefined;
  readonly failed: number | undefined;
}

/** The number of jobs in one read. */
const batch = 500;
/** A chain that was still active or needed is checked again after a time equal to its age, within these bounds. */
const [leastPauseMs, mostPauseMs] = [60_000, 86_400_000];

/**
 * Deletes chains that ended longer ago than their limit. The cost of a pass depends on what it deletes: it checks entries that
 * are due, because their chains cannot have expired earlier, and reads each job once in order. A chain that cannot be deleted
 * then gets an entry. A chain cannot have ended before it began, so the walk stops at jobs that are too young. An index on the
 * ends of chains would find them directly, but cost each end 2 us of 24 and a page of the log.
 */
export function createRetention(store: Store): (request: MaintainRequest, now: number) => MaintainReply {
  const remove = createRemoveExpired(store);
  const entries = createEntries(store, remove);
  const walk = createWalk(store, remove);
  const walked = createWalked(store);

  return ({ completedMs, failedMs, limit }, now) => {
    const limits: Limits = { completed: before(now, completedMs), failed: before(now, failedMs) };
    const found = entries(limits, { limit, now });
    const removed = found.removed + walk(limits, { limit: limit - found.removed, now });
    walked.lower();
    return { removed, more: found.more || removed >= limit };
  };
}

interface Bounds {
  readonly limit: number;
  readonly now: number;
}

/** Deletes a chain that has expired and that no job needs; reports whether it did. */
function createRemoveExpired(store: Store): (chain: Chain, limits: Limits) => boolean {
  const { tables: t } = store;
  const deleteChain = createDeleteChain(store);
  const need = store.sql<{ needed: 1 }>(
    `select 1 as needed from ${t.blocker} b join ${t.job} j on j.seq = b.job
     where b.chain = ? and j.status <> 'completed' and coalesce(j.chain, j.seq) <> ? limit 1`,
  );
  // What follows a chain names it, and it is listed with it.
  const follow = store.sql<{ follows: 1 }>(
    `select 1 as follows from ${t.followUp} f cross join ${t.job} c on c.id = f.chain_id and c.chain is null
     where f.chain = ? and c.chain_status = 'active' limit 1`,
  );
  return (chain, limits) => {
    if (!isExpired(chain, limits) || need.get(chain.seq, chain.seq) !== undefined) return false;
    if (has(chain.extras, ending) && follow.get(chain.seq) !== undefined) return false;
    deleteChain(chain.seq);
    return true;
  };
}

/** Checks the chains whose entries are due. */
function createEntries({ tables: t, sql }: Store, remove: ReturnType<typeof createRemoveExpired>) {
  const due = sql<Chain>(
    `select c.seq, c.chain_status, c.created_at, c.chain_ended_at, c.extras
     from (select chain from ${t.expiry} where failed = ? and since <= ? order by since limit ?) due
     join ${t.job} c on c.seq = due.chain`,
  );
  const move = sql(`update ${t.expiry} set since = ? where chain = ?`);
  return (limits: Limits, { limit, now }: Bounds) => {
    let [removed, looked] = [0, 0];
    for (const [failed, until] of [
      [0, limits.completed],
      [1, limits.failed],
    ] as const) {
      if (until === undefined) continue;
      const chains = due.all(failed, until, limit - looked);
      looked += chains.length;
      for (const chain of chains) {
        if (remove(chain, limits)) removed += 1;
        else move.run(nextLook(chain, until, now), chain.seq);
      }
    }
    return { removed, more: looked >= limit };
  };
}

/** Continues the walk where the last pass stopped; returns the number of deleted chains. */
function createWalk(store: Store, remove: ReturnType<typeof createRemoveExpired>) {
  const { tables: t, sql } = store;
  const walked = createWalked(store);
  const next = sql<Passed>(
    `select seq, chain_status, created_at, chain_ended_at, extras from ${t.job} where seq > ? order by seq limit ?`,
  );
  const enter = sql(`insert into ${t.expiry} (chain, failed, since) values (?, 0, ?) on conflict (chain) do nothing`);
  return (limits: Limits, { limit, now }: Bounds): number => {
    const until = limits.completed;
    if (until === undefined) return 0;
    // Jobs written by a clock that was ahead are treated like old ones; the walk does not wait for them.
    const isOld = (job: Passed): boolean => job.created_at <= until || job.created_at > now;
    let [position, removed, looked] = [walked.read(), 0, 0];
    while (removed < limit && looked < 4 * limit + 2 * batch) {
      const jobs = next.all(position, Math.min(limit - removed, batch));
      const old = jobs.slice(0, jobs.findLastIndex(isOld) + 1);
      const last = old.at(-1);
      if (last === undefined) break;
      for (const chain of old.filter(beginsChain)) {
        if (remove(chain, limits)) removed += 1;
        else enter.run(chain.seq, nextLook(chain, until, now));
      }
      looked += old.length;
      position = last.seq;
    }
    walked.write(position);
    return removed;
  };
}

function beginsChain(job: Passed): job is Chain {
  return job.chain_status !== null;
}

function isExpired({ chain_status: status, chain_ended_at: endedAt }: Chain, { completed, failed }: Limits): boolean {
  const until = status === "failed" ? failed : completed;
  return endedAt !== null && until !== undefined && endedAt <= until;
}

/** The time, minus the limit, at which a remaining chain is checked again: not before it can have expired. */
function nextLook({ chain_ended_at: endedAt, created_at: createdAt }: Chain, until: number, now: number): number {
  const pause = Math.min(mostPauseMs, Math.max(leastPauseMs, now - createdAt));
  if (endedAt === null) return now + Math.max(0, pause - (now - until));
  return endedAt > until ? endedAt : until + pause;
}

function before(now: number, ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.floor(now - ms);
}
