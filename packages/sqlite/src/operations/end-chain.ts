import { blockerFailureErrors } from "chainwright";
import type { JobRef, OnBlockerFailure, StartedJob } from "chainwright";
import type { Store } from "../store.ts";
import type { EndedStatus } from "../tally.ts";
import { createDeduplication } from "./deduplication.ts";

/** A job that ends its chain, and how. */
export interface ChainEnd {
  readonly seq: number;
  /** The `seq` of its chain's first job. */
  readonly chain: number;
  readonly typeName: string;
  readonly status: EndedStatus;
  /** JSON text. */
  readonly output: string | null;
  /** JSON text; null: what is on record stays. */
  readonly errors: string | null;
  readonly reason: string | null;
  /** The chain whose end brought this one about. */
  readonly cause: number | null;
  readonly attempt: number;
  readonly leasedBy: string | null;
  readonly startedAt: number | null;
}

/** What followed; filled as it happens. */
export interface Aftermath {
  readonly unblocked: StartedJob[];
  readonly failed: JobRef[];
  readonly reblocked: JobRef[];
}

export interface EndChain {
  /** Ends the job and its chain, frees its key, and counts down or fails what waits for it. Answers what it is about. */
  end(end: ChainEnd, now: number, aftermath: Aftermath): JobRef;
  /** The same for a job that was written as failed: the chain only. */
  failed(chain: number, job: number, now: number, aftermath: Aftermath): void;
}

interface EndedRow {
  readonly seq: number;
  readonly id: string;
  readonly type: string;
  readonly awaited: number | null;
  readonly dedup_key: string | null;
  readonly dedup_scope: string | null;
}

interface Dependent {
  readonly seq: number;
  readonly id: string;
  readonly type: string;
  readonly chain: number | null;
  readonly chain_id: string;
  readonly priority: number;
  readonly attempt: number;
  readonly scheduled_at: number | null;
  readonly on_blocker_failure: OnBlockerFailure;
}

export const nothingFollowed = (): Aftermath => ({ unblocked: [], failed: [], reblocked: [] });

export function createEndChain(store: Store): EndChain {
  const { tables: t, tally } = store;
  const { free } = createDeduplication(store);
  const endJob = `status = ?, output = ?, errors = coalesce(?, errors), cause = ?, attempt = ?, leased_by = ?,
       started_at = ?, ended_at = ?`;
  const endsChain = `chain_status = ?, chain_ended_at = ?, ended_job = ?, reason = ?`;
  const returning = `returning seq, id, type, awaited, dedup_key, dedup_scope`;
  const endOnly = store.sql<EndedRow>(`update ${t.job} set ${endJob}, ${endsChain} where seq = ? ${returning}`);
  const endLast = store.sql<{ id: string }>(`update ${t.job} set ${endJob} where seq = ? returning id`);
  const endFirst = store.sql<EndedRow>(`update ${t.job} set ${endsChain} where seq = ? ${returning}`);
  const dependentsOf = store.sql<Dependent>(
    `select j.seq, j.id, j.type, j.chain, coalesce(f.id, j.id) as chain_id, j.priority, j.attempt, j.scheduled_at,
       j.on_blocker_failure
     from ${t.blocker} b join ${t.job} j on j.seq = b.job left join ${t.job} f on f.seq = j.chain
     where b.chain = ? and j.status = 'blocked' group by j.seq order by j.id`,
  );
  const countDown = store.sql<{ blockers_left: number }>(
    `update ${t.job} set blockers_left = blockers_left - 1 where seq = ? returning blockers_left`,
  );
  const unblock = store.sql(`update ${t.job} set status = 'open', scheduled_at = null where seq = ?`);
  const insertReady = store.sql(
    `insert into ${t.ready} (job, chain, type, priority, waiting, ready_at, attempt) values (?, ?, ?, ?, ?, ?, ?)`,
  );

  /** One of the chain's blockers completed. */
  const release = (job: Dependent, now: number, aftermath: Aftermath): void => {
    if (countDown.get(job.seq)?.blockers_left !== 0) return;
    const due = job.scheduled_at ?? now;
    const waiting = due > now;
    unblock.run(job.seq);
    insertReady.run(
      job.seq,
      job.chain ?? job.seq,
      job.type,
      job.priority,
      waiting ? 1 : 0,
      waiting ? due : now,
      job.attempt,
    );
    aftermath.unblocked.push({
      ...refOf(job),
      status: waiting ? "scheduled" : "ready",
      dueInMs: waiting ? due - now : undefined,
    });
  };

  const write = (job: ChainEnd, now: number): Ended => {
    const { seq, chain, status } = job;
    tally.add(job.typeName, status, 1);
    const ofJob = [status, job.output, job.errors, job.cause, job.attempt, job.leasedBy, job.startedAt, now] as const;
    const isOnly = seq === chain;
    const last = isOnly ? undefined : endLast.get(...ofJob, seq);
    const row = isOnly
      ? endOnly.get(...ofJob, status, now, seq, job.reason, seq)
      : endFirst.get(status, now, seq, job.reason, chain);
    if (row === undefined) throw new Error(`job ${seq} has no chain ${chain}`);
    return { row, status, jobId: last?.id ?? row.id };
  };

  /** Dependents are failed in turn, however long the row of them: a list, not a recursion. */
  const follow = (first: Ended, now: number, aftermath: Aftermath): void => {
    const pending = [first];
    for (let ended = pending.pop(); ended !== undefined; ended = pending.pop()) {
      const { row, status } = ended;
      if (row.dedup_key !== null && row.dedup_scope === "active") free(row.dedup_key, row.seq);
      if (row.awaited === null) continue;
      for (const job of dependentsOf.all(row.seq)) {
        if (status === "completed") release(job, now, aftermath);
        else if (job.on_blocker_failure === "fail") {
          aftermath.failed.push(refOf(job));
          const errors = blockerFailureErrors({ chainId: row.id, typeName: row.type, status, at: now });
          pending.push(write(failedBy(job, row.seq, errors), now));
        }
      }
    }
  };

  return {
    end: (job, now, aftermath) => {
      const ended = write(job, now);
      follow(ended, now, aftermath);
      return { jobId: ended.jobId, chainId: ended.row.id, typeName: job.typeName };
    },
    failed: (chain, job, now, aftermath) => {
      const row = endFirst.get("failed", now, job, null, chain);
      if (row !== undefined) follow({ row, status: "failed", jobId: row.id }, now, aftermath);
    },
  };
}

interface Ended {
  readonly row: EndedRow;
  readonly status: EndedStatus;
  readonly jobId: string;
}

function refOf(job: Dependent): JobRef {
  return { jobId: job.id, chainId: job.chain_id, typeName: job.type };
}

function failedBy(job: Dependent, cause: number, errors: string): ChainEnd {
  return {
    seq: job.seq,
    chain: job.chain ?? job.seq,
    typeName: job.type,
    status: "failed",
    output: null,
    errors,
    reason: null,
    cause,
    attempt: job.attempt,
    leasedBy: null,
    startedAt: null,
  };
}
