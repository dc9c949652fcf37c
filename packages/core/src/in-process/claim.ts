import { ChainwrightError } from "../model/error.ts";
import type { ClaimedBlocker, ClaimedJob } from "../model/record.ts";
import type { Claim } from "../ports/state.ts";
import { peekKey } from "./lazy-heap.ts";
import { takeOldest } from "./lanes.ts";
import { nothing } from "./records.ts";
import { chainOf, lastOf } from "./rows.ts";
import type { Blocking, JobRow, Level } from "./rows.ts";
import { enter, leave } from "./store.ts";
import type { Store } from "./store.ts";

/** Leases ready jobs: by priority, then in the order of the types, then oldest first. */
export function claimJobs(store: Store, claim: Claim, now: number): readonly ClaimedJob[] {
  const { busy } = store.lanes;
  if (busy.length === 0) return nothing;
  const claimed: ClaimedJob[] = [];
  for (let at = 0; at < busy.length && claimed.length < claim.limit;) {
    const level = busy[at];
    if (level === undefined) break;
    claimLevel(store, level, { claim, now, claimed });
    // A level that has no entries left has gone from the list.
    if (busy[at] === level) at += 1;
  }
  return claimed;
}

/** Milliseconds until a job of these types is due or a lease of theirs runs out, whichever comes first. */
export function nextDueInMs(store: Store, claim: Claim, now: number): number | undefined {
  let next = Infinity;
  for (const { typeName } of claim.types) {
    const type = store.lanes.types.get(typeName);
    if (type === undefined) continue;
    next = Math.min(next, peekKey(type.scheduled) ?? Infinity, peekKey(type.leases) ?? Infinity);
  }
  return next === Infinity ? undefined : Math.max(0, next - now);
}

interface Round {
  readonly claim: Claim;
  readonly now: number;
  readonly claimed: ClaimedJob[];
}

function claimLevel(store: Store, level: Level, { claim, now, claimed }: Round): void {
  for (const { typeName, leaseMs } of claim.types) {
    const lane = level.lanes.get(typeName);
    if (lane === undefined) continue;
    while (claimed.length < claim.limit) {
      const row = takeOldest(store.lanes, lane);
      if (row === undefined) break;
      const waitedMs = Math.max(0, now - row.readyAt);
      leave(store, row);
      row.status = "running";
      row.lease = { workerId: claim.workerId, startedAt: now, until: now + leaseMs };
      row.attempt += 1;
      row.fence += 1;
      enter(store, row);
      claimed.push(toClaimedJob(row, waitedMs));
    }
    if (claimed.length >= claim.limit || level.entries === 0) return;
  }
}

function toClaimedJob(row: JobRow, waitedMs: number): ClaimedJob {
  return {
    id: row.id,
    chainId: chainOf(row).id,
    typeName: row.lane.type.name,
    step: row.step,
    priority: row.lane.level.priority,
    input: row.input,
    attempt: row.attempt,
    fence: row.fence,
    errors: row.errors,
    createdAt: row.createdAt,
    waitedMs,
    context: row.context,
    blockers: row.blocking === undefined ? nothing : toClaimedBlockers(row.blocking),
  };
}

function toClaimedBlockers({ chains }: Blocking): ClaimedBlocker[] {
  const blockers: ClaimedBlocker[] = [];
  for (const chain of chains) {
    if (chain === undefined) continue;
    const { output, endedAt } = lastOf(chain);
    if (output === undefined || endedAt === undefined) {
      throw new ChainwrightError("store-corrupt", `blocker chain ${chain.id} of a claimed job is not completed`);
    }
    blockers.push({
      chainId: chain.id,
      typeName: chain.lane.type.name,
      input: chain.input,
      output,
      createdAt: chain.createdAt,
      endedAt,
      context: chain.context,
    });
  }
  return blockers;
}
