import { ChainwrightError } from "../model/error.ts";
import type { ClaimedBlocker, ClaimedJob } from "../model/record.ts";
import { nothing } from "../rules/replies.ts";
import { notesForClaim } from "./notes.ts";
import { chainOf, lastOf } from "./row-types.ts";
import type { Blocking, JobRow } from "./row-types.ts";
import { enter, leave } from "./store.ts";
import type { Store } from "./store.ts";

export interface Leasing {
  readonly workerId: string;
  readonly leaseMs: number;
  readonly now: number;
}

/** Leases a job that has been taken from its lane. */
export function leaseJob(store: Store, row: JobRow, { workerId, leaseMs, now }: Leasing): ClaimedJob {
  const waitedMs = Math.max(0, now - row.readyAt);
  leave(store, row);
  row.status = "running";
  row.lease = { workerId, startedAt: now, until: now + leaseMs };
  row.attempt += 1;
  row.fence += 1;
  enter(store, row);
  return toClaimedJob(store, row, waitedMs);
}

function toClaimedJob(store: Store, row: JobRow, waitedMs: number): ClaimedJob {
  const { memos, checkpoint } = notesForClaim(store, row);
  return {
    id: row.id,
    chainId: chainOf(row).id,
    typeName: row.lane.type.name,
    version: row.lane.type.version,
    pool: row.lane.type.pool,
    step: row.step,
    priority: row.lane.priority,
    input: row.input,
    attempt: row.attempt,
    fence: row.fence,
    errors: row.errors,
    createdAt: row.createdAt,
    waitedMs,
    context: row.context,
    limits: row.lane.limited?.lane.limits,
    received: row.wait?.received,
    collect: row.wait?.collect,
    memos,
    checkpoint,
    blockers: row.blocking === undefined ? nothing : toClaimedBlockers(row.blocking),
  };
}

function toClaimedBlockers({ chains }: Blocking): ClaimedBlocker[] {
  const blockers: ClaimedBlocker[] = [];
  for (const chain of chains) {
    if (chain === undefined) continue;
    const { output, outputVersion, endedAt } = lastOf(chain);
    if (output === undefined || endedAt === undefined) {
      throw new ChainwrightError("store-corrupt", `blocker chain ${chain.id} of a claimed job is not completed`);
    }
    blockers.push({
      chainId: chain.id,
      typeName: chain.lane.type.name,
      input: chain.input,
      version: chain.lane.type.version,
      output,
      outputVersion,
      createdAt: chain.createdAt,
      endedAt,
      context: chain.context,
    });
  }
  return blockers;
}
