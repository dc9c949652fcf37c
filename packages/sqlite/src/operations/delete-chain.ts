import type { RemoveReply } from "chainwright";
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

/**
 * Deletes every trace of a chain: nothing may refer to its jobs afterwards, because their `seq` may be given anew. Returns the
 * attempt that was under way.
 */
export function createDeleteChain(store: Store): (chain: number) => RemoveReply["interrupted"] {
  const { tables: t, tally } = store;
  const deleteJobs = store.sql<DeletedJob>(
    `delete from ${t.job} where chain = ? returning seq, id, type, status, blockers`,
  );
  const deleteFirst = store.sql<DeletedJob & { dedup_key: string | null; awaited: number | null }>(
    `delete from ${t.job} where seq = ? returning seq, id, type, status, blockers, dedup_key, awaited`,
  );
  const deleteReady = store.sql<{ leased_by: string | null }>(
    `delete from ${t.ready} where job = ? returning leased_by`,
  );
  const deleteBlockers = store.sql(`delete from ${t.blocker} where job = ?`);
  const deleteBlocking = store.sql(`delete from ${t.blocker} where chain = ?`);
  const forgetCause = store.sql(
    `update ${t.job} set cause = null where cause = ? and seq in (select job from ${t.blocker} where chain = ?)`,
  );
  const expiry = createExpiry(store);
  const releases = createReleases(store);
  const freeKey = store.sql(`delete from ${t.deduplication} where key = ? and chain = ?`);

  const clear = (job: DeletedJob): RemoveReply["interrupted"] => {
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

  return (chain) => {
    let interrupted: RemoveReply["interrupted"];
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
