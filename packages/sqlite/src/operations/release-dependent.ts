import type { OnBlockerFailure } from "chainwright";
import type { JobRef, StartedJob } from "chainwright/adapter";
import type { Store } from "../store.ts";

/** A blocked job, as the end of one of its blockers sees it. */
export interface Dependent {
  readonly seq: number;
  readonly id: string;
  readonly type: string;
  readonly chain: number;
  readonly chain_id: string;
  readonly priority: number;
  readonly attempt: number;
  readonly fence: number;
  readonly scheduled_at: number | null;
  readonly on_blocker_failure: OnBlockerFailure;
  readonly blockers_left: number;
}

/** Counts down a job one of whose blockers completed; after the last one it may run, and stands in `unblocked`. */
export function createReleaseDependent(store: Store): (job: Dependent, now: number, unblocked: StartedJob[]) => void {
  const { tables: t } = store;
  const countDown = store.sql(`update ${t.job} set blockers_left = ? where seq = ?`);
  const unblock = store.sql(
    `update ${t.job} set status = 'open', blockers_left = 0, scheduled_at = null where seq = ?`,
  );
  const insertReady = store.sql(
    `insert into ${t.ready} (job, chain, type, priority, waiting, ready_at, attempt, fence)
     values (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return (job, now, unblocked) => {
    const left = job.blockers_left - 1;
    if (left > 0) {
      countDown.run(left, job.seq);
      return;
    }
    const due = Math.max(job.scheduled_at ?? now, now);
    const waiting = due > now;
    unblock.run(job.seq);
    insertReady.run(job.seq, job.chain, job.type, job.priority, waiting ? 1 : 0, due, job.attempt, job.fence);
    const status = waiting ? "scheduled" : "ready";
    unblocked.push({ ...refOf(job), status, dueInMs: waiting ? due - now : undefined });
  };
}

export function refOf(job: Dependent): JobRef {
  return { jobId: job.id, chainId: job.chain_id, typeName: job.type };
}
