import type { ChainRecord, JobRecord } from "../model/record.ts";
import type { JobRef } from "../ports/reply.ts";
import { gathersBy } from "../model/held-key.ts";
import { followedBy, followUpsOf } from "./ends.ts";
import { chainOf, chainStatusOf, isUnclaimed, keptPlaces, lastOf, statusAt } from "./row-types.ts";
import type { JobRow } from "./row-types.ts";

export function toJobRef(row: JobRow): JobRef {
  return { jobId: row.id, chainId: chainOf(row).id, typeName: row.lane.type.name };
}

export function toChainRecord(chain: JobRow): ChainRecord {
  const last = lastOf(chain);
  const status = chainStatusOf(chain);
  return {
    id: chain.id,
    typeName: chain.lane.type.name,
    status,
    input: chain.input,
    version: chain.lane.type.version,
    outputVersion: last.outputVersion,
    output: status === "completed" ? last.output : undefined,
    outputTypeName: status === "completed" ? last.lane.type.name : undefined,
    errors: status === "failed" ? last.errors : undefined,
    reason: status === "cancelled" ? chain.shared?.reason : undefined,
    key: chain.shared?.deduplication?.key,
    tags: chain.shared?.tags,
    createdAt: chain.createdAt,
    endedAt: status === "active" ? undefined : last.endedAt,
    followUps: followUpsOf(chain),
    follows: followedBy(chain)?.id,
    deadlineAt: chain.shared?.ends?.deadlineAt,
  };
}

export function toJobRecord(row: JobRow, now: number): JobRecord {
  const status = statusAt(row, now);
  const lease = status === "running" || row.endedAt !== undefined ? row.lease : undefined;
  return {
    id: row.id,
    chainId: chainOf(row).id,
    typeName: row.lane.type.name,
    version: row.lane.type.version,
    pool: row.lane.type.pool,
    step: row.step,
    status,
    priority: row.lane.priority,
    input: row.input,
    output: row.output,
    outputVersion: row.outputVersion,
    errors: row.errors,
    attempt: row.attempt,
    createdAt: row.createdAt,
    scheduledAt: status === "scheduled" ? row.readyAt : undefined,
    leasedBy: lease?.workerId,
    startedAt: lease?.startedAt,
    leasedUntil: status === "running" ? lease?.until : undefined,
    lapsed: status === "ready" ? lapsedOf(row) : undefined,
    endedAt: row.endedAt,
    nextJobId: row.next?.id,
    onBlockerFailure: row.onBlockerFailure,
    blockersLeft: row.blocking?.left ?? 0,
    gathers: gathersOf(row),
    limits: row.endedAt === undefined ? row.lane.limited?.lane.limits : undefined,
    waits: status === "waiting" ? waitOf(row) : undefined,
    received: row.wait?.received,
    hasBlockers: row.endedAt === undefined && (row.blocking?.chains.length ?? 0) > 0,
  };
}

function lapsedOf({ lease }: JobRow): JobRecord["lapsed"] {
  if (lease === undefined || lease === keptPlaces) return undefined;
  return { leasedBy: lease.workerId, startedAt: lease.startedAt, leasedUntil: lease.until };
}

function waitOf({ wait }: JobRow): JobRecord["waits"] {
  return wait && { until: wait.until, collect: wait.collect, topics: wait.topics };
}

function gathersOf(row: JobRow): JobRecord["gathers"] {
  const key = row.shared?.deduplication;
  if (key === undefined || !isUnclaimed(row)) return undefined;
  return gathersBy(key.scope, key.until);
}
