import { gathersBy, type ChainRecord, type Fence, type FollowUpRecord, type JobRecord } from "chainwright/adapter";
import type { Data, Job } from "./data.ts";

/** The first job of a chain. */
export function chainWith(data: Data, id: string): Job | undefined {
  const job = data.jobs.get(id);
  return job?.chain === undefined ? undefined : job;
}

export function lastJobOf(data: Data, chain: Job): Job {
  return data.jobs.get(chain.chain?.lastId ?? "") ?? chain;
}

export function chainStatusOf(data: Data, chain: Job): ChainRecord["status"] {
  const { status } = lastJobOf(data, chain);
  return status === "completed" || status === "failed" || status === "cancelled" ? status : "active";
}

/** A job that is due is ready, and so is one whose lease has run out: no one writes that down. */
export function statusAt(job: Job, now: number): JobRecord["status"] {
  if (job.status === "scheduled") return job.readyAt <= now ? "ready" : "scheduled";
  if (job.status === "waiting") return (job.wait?.until ?? now + 1) <= now ? "ready" : "waiting";
  if (job.status === "running") return (job.lease?.until ?? 0) <= now ? "ready" : "running";
  return job.status;
}

/** Whether a job waits that no worker has ever claimed. */
export function isUnclaimed({ status, fence }: Job): boolean {
  return fence === 0 && (status === "ready" || status === "scheduled");
}

/** Since when a job that is ready can be claimed. */
export function readySince(job: Job): number {
  return job.status === "running" ? (job.lease?.until ?? job.readyAt) : job.readyAt;
}

/** The job whose current lease a fence names, also after it has run out, until someone claims the job. */
export function leasedJob(data: Data, fence: Fence): Job | undefined {
  const job = data.jobs.get(fence.jobId);
  if (job?.status !== "running") return undefined;
  return job.lease?.workerId === fence.workerId && job.fence === fence.fence ? job : undefined;
}

/** The jobs that a chain blocks or has blocked, in the order in which they were written. */
export function dependentsOf(data: Data, chainId: string): Job[] {
  return [...data.jobs.values()].filter(({ blocking }) => blocking?.chainIds.includes(chainId) === true);
}

/** The chains with a job that a chain blocks and that is not completed: it has to stay for them. */
export function chainsBlockedBy(data: Data, chainId: string): Job[] {
  const open = dependentsOf(data, chainId).filter(({ status }) => status !== "completed");
  return chainsOf(data, new Set(open.map((job) => job.chainId))).toSorted(byId);
}

export function chainsOf(data: Data, ids: Iterable<string | null>): Job[] {
  return [...ids].flatMap((id) => (id === null ? [] : (chainWith(data, id) ?? [])));
}

export function byId(left: { readonly id: string }, right: { readonly id: string }): number {
  return left.id < right.id ? -1 : Number(left.id > right.id);
}

/** The stopped chain for whose stop a chain was started. */
export function followedBy(data: Data, { id, chain }: Job): Job | undefined {
  const stopped = chain?.follows === undefined ? undefined : chainWith(data, chain.follows);
  return stopped?.chain?.ends?.followUps.some(({ chainId }) => chainId === id) === true ? stopped : undefined;
}

/** The chains that the stop of a chain has started, as records show them. Undefined: none. */
export function followUpsOf(data: Data, { chain }: Job): readonly FollowUpRecord[] | undefined {
  const records = (chain?.ends?.followUps ?? []).flatMap(({ chainId, kind }): FollowUpRecord[] => {
    const row = chainWith(data, chainId);
    return row === undefined ? [] : [{ chainId, kind, typeName: row.typeName, status: chainStatusOf(data, row) }];
  });
  return records.length === 0 ? undefined : records;
}

export function toChainRecord(data: Data, chain: Job): ChainRecord {
  const last = lastJobOf(data, chain);
  const status = chainStatusOf(data, chain);
  return {
    id: chain.id,
    typeName: chain.typeName,
    status,
    input: chain.input,
    version: chain.version,
    outputVersion: last.outputVersion,
    output: status === "completed" ? last.output : undefined,
    outputTypeName: status === "completed" ? last.typeName : undefined,
    errors: status === "failed" ? last.errors : undefined,
    reason: status === "cancelled" ? chain.chain?.reason : undefined,
    key: chain.chain?.key?.key,
    tags: chain.chain?.tags,
    createdAt: chain.createdAt,
    endedAt: status === "active" ? undefined : last.endedAt,
    followUps: followUpsOf(data, chain),
    follows: followedBy(data, chain)?.id,
    deadlineAt: chain.chain?.ends?.deadlineAt,
  };
}

function lapsedOf({ lease }: Job): JobRecord["lapsed"] {
  return lease && { leasedBy: lease.workerId, startedAt: lease.startedAt, leasedUntil: lease.until };
}

export function toJobRecord(job: Job, now: number): JobRecord {
  const status = statusAt(job, now);
  const lease = status === "running" || job.endedAt !== undefined ? job.lease : undefined;
  const { id, chainId, typeName, version, pool, step, priority, input, attempt, createdAt } = job;
  const { output, outputVersion, errors } = job;
  return {
    id,
    chainId,
    typeName,
    version,
    pool,
    step,
    priority,
    input,
    output,
    outputVersion,
    errors,
    attempt,
    createdAt,
    status,
    scheduledAt: status === "scheduled" ? job.readyAt : undefined,
    leasedBy: lease?.workerId,
    startedAt: lease?.startedAt,
    leasedUntil: status === "running" ? lease?.until : undefined,
    lapsed: status === "ready" ? lapsedOf(job) : undefined,
    endedAt: job.endedAt,
    nextJobId: job.nextId,
    onBlockerFailure: job.onBlockerFailure,
    blockersLeft: job.blocking?.left ?? 0,
    gathers: isUnclaimed(job) ? gathersBy(job.chain?.key?.scope, job.chain?.key?.until) : undefined,
    limits: job.endedAt === undefined ? job.limits?.map(({ limit, key }) => ({ limit, key })) : undefined,
    waits:
      status === "waiting" && job.wait
        ? { until: job.wait.until, collect: job.wait.collect, topics: job.wait.topics }
        : undefined,
    received: job.wait?.received,
    hasBlockers: job.endedAt === undefined && job.blocking !== undefined,
  };
}
