import type { RemoveReply } from "chainwright/adapter";
import type { Store } from "../store.ts";
import { createReleases } from "./releases.ts";
import type { EndedStatus } from "../tally.ts";
import { createExpiry } from "./expiry.ts";

interface DeletedJob {
  readonly seq: number;
  readonly id: string;
  readonly type: string;
  readonly status: EndedStatus | "open" | "blocked";
  readonly blockers: number;
}

type Interrupted = RemoveReply["interrupted"];

/**
 * Deletes every trace of a chain: nothing may refer to its jobs afterwards, because their `seq` may be given anew. Returns the
 * attempt that was under way.
 */
export function createDeleteChain(store: Store): (chain: number) => Interrupted {
  const { tables: t } = store;
  const deleteJobs = store.sql<DeletedJob>(
    `delete from ${t.job} where chain = ? returning seq, id, type, status, blockers`,
  );
  const deleteFirst = store.sql<DeletedJob & { dedup_key: string | null; awaited: number | null }>(
    `delete from ${t.job} where seq = ? returning seq, id, type, status, blockers, dedup_key, awaited`,
  );
  const deleteBlocking = store.sql(`delete from ${t.blocker} where chain = ?`);
  const forgetCause = store.sql(
    `update ${t.job} set cause = null where cause = ? and seq in (select job from ${t.blocker} where chain = ?)`,
  );
  const clear = createClear(store);
  const expiry = createExpiry(store);
  const releases = createReleases(store);
  const freeKey = store.sql(`delete from ${t.deduplication} where key = ? and chain = ?`);

  return (chain) => {
    let interrupted: Interrupted;
    for (const job of deleteJobs.all(chain)) interrupted = clear(job) ?? interrupted;
    const first = deleteFirst.get(chain);
    if (first === undefined) return interrupted;
    interrupted = clear(first) ?? interrupted;
    if (first.awaited !== null) releases.drop(chain);
    if (first.dedup_key !== null) freeKey.run(first.dedup_key, chain);
    forgetCause.run(chain, chain);
    deleteBlocking.run(chain);
    expiry.forget(chain);
    return interrupted;
  };
}

/** Deletes jobs of a chain but its first one, the last ones first, at most so many. Returns how many there were. */
export function createDeleteJobs(store: Store): (chain: number, limit: number) => number {
  const { tables: t } = store;
  const deleteJobs = store.sql<DeletedJob>(
    `delete from ${t.job} where seq in (select seq from ${t.job} where chain = ? order by chain, step desc limit ?)
     returning seq, id, type, status, blockers`,
  );
  const clear = createClear(store);
  return (chain, limit) => {
    const jobs = deleteJobs.all(chain, limit);
    for (const job of jobs) clear(job);
    return jobs.length;
  };
}

/** Removes what a deleted job leaves behind. Returns its attempt if one was under way. */
function createClear(store: Store): (job: DeletedJob) => Interrupted {
  const { tables: t, tally } = store;
  const deleteReady = store.sql<{ leased_by: string | null }>(
    `delete from ${t.ready} where job = ? returning leased_by`,
  );
  const deleteBlockers = store.sql(`delete from ${t.blocker} where job = ?`);
  const expiry = createExpiry(store);

  return (job) => {
    if (job.blockers > 0) {
      expiry.reconsider(job.seq);
      deleteBlockers.run(job.seq);
    }
    if (job.status === "open") {
      const workerId = deleteReady.get(job.seq)?.leased_by ?? undefined;
      return workerId === undefined ? undefined : { jobId: job.id, workerId };
    }
    if (job.status !== "blocked") tally.add(job.type, job.status, -1);
    return undefined;
  };
}
