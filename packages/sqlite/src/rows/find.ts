import type { ChainStatus, JobStatus, OnBlockerFailure } from "chainwright";
import { claimName } from "chainwright/adapter";
import { corruptError } from "../errors.ts";
import { jobStatus } from "../operations/get-jobs.ts";
import type { Store } from "../store.ts";
import {
  type ChainRow,
  type JobRow,
  type SqliteRows,
  chainColumns,
  selectFirstJob,
  selectJobRows,
  selectLastJob,
  selectOpenJobRows,
} from "./job-row.ts";

type Finds = Pick<
  SqliteRows,
  | "chain"
  | "job"
  | "leasedJob"
  | "lastJob"
  | "chainAndLastJob"
  | "chainOf"
  | "typeNameOf"
  | "claimNameOf"
  | "chainStatusOf"
  | "jobStatusOf"
  | "workerOf"
  | "blockersOf"
  | "chainsBlockedBy"
>;

function statementsOf({ tables: t, sql }: Store) {
  return {
    chainById: sql<ChainRow>(`select ${chainColumns} from ${t.job} where id = ? and chain is null`),
    chainBySeq: sql<ChainRow>(`select ${chainColumns} from ${t.job} where seq = ?`),
    jobById: sql<JobRow>(`${selectJobRows(t)} where j.id = ?`),
    leased: sql<JobRow>(`${selectOpenJobRows(t)} where j.id = ? and o.leased_by = ? and o.fence = ?`),
    last: sql<JobRow>(selectLastJob(t)),
    first: sql<JobRow>(selectFirstJob(t)),
    status: sql<{ status: JobStatus }>(
      `select ${jobStatus} as status from ${t.job} j left join ${t.openJob} o on o.job = j.seq where j.seq = ?`,
    ),
    claimed: sql<Pick<JobRow, "version" | "pool">>(`select version, pool from ${t.job} where seq = ?`),
    worker: sql<{ leased_by: string }>(`select leased_by from ${t.openJob} where job = ? and leased_until > ?`),
    onBlockerFailure: sql<{ on_blocker_failure: OnBlockerFailure }>(
      `select on_blocker_failure from ${t.job} where seq = ?`,
    ),
    openBlockers: sql<ChainRow>(
      `select ${chainColumns} from ${t.job} c join (
         select chain, min(position) as position from ${t.blocker} where job = ? group by chain) b on c.seq = b.chain
       where c.chain_status <> 'completed' order by b.position`,
    ),
    blockedBy: sql<ChainRow>(
      `select ${chainColumns} from ${t.job} where seq in (
         select coalesce(j.chain, j.seq) from ${t.blocker} b join ${t.job} j on j.seq = b.job
         where b.chain = ? and j.status <> 'completed') order by id`,
    ),
  };
}

/** How the rules find jobs and chains. */
export function createFinds(store: Store): Finds {
  const statements = statementsOf(store);
  const lastJob = ({ seq }: ChainRow): JobRow => {
    const job = statements.last.get(seq, seq);
    if (job === undefined) throw missing(seq);
    return job;
  };
  return {
    chain: (id) => statements.chainById.get(id),
    job: (id) => statements.jobById.get(id),
    leasedJob: ({ jobId, workerId, fence }) => statements.leased.get(jobId, workerId, fence),
    lastJob,
    chainAndLastJob: (id) => {
      const chain = statements.first.get(id);
      return chain && { chain, job: chain.has_more === null ? chain : lastJob(chain) };
    },
    chainOf: (job) => {
      if (job.seq === job.chain) return job;
      const chain = statements.chainBySeq.get(job.chain);
      if (chain === undefined) throw missing(job.chain);
      return chain;
    },
    typeNameOf: (row) => row.type_name,
    claimNameOf: (row) => {
      const { version, pool } = row.version === undefined ? (statements.claimed.get(row.seq) ?? row) : row;
      return claimName({ typeName: row.type_name, version: version ?? undefined, pool: pool ?? undefined });
    },
    chainStatusOf: (chain): ChainStatus => chain.chain_status ?? "active",
    jobStatusOf: ({ seq }, now) => statements.status.get(now, now, seq)?.status ?? "cancelled",
    workerOf: ({ seq }, now) => statements.worker.get(seq, now)?.leased_by,
    blockersOf: ({ seq }) => ({
      onBlockerFailure: statements.onBlockerFailure.get(seq)?.on_blocker_failure ?? "fail",
      open: statements.openBlockers.all(seq),
    }),
    chainsBlockedBy: ({ seq }) => statements.blockedBy.all(seq),
  };
}

function missing(chain: number) {
  return corruptError(`the first job of chain ${chain} is missing`);
}
