import type { ClaimedJob } from "../model/record.ts";
import type { Claim } from "../ports/exchange.ts";
import { peekKey } from "./lazy-heap.ts";
import { takeOldest } from "./lanes.ts";
import { claimName } from "../model/claim-name.ts";
import { nothing } from "../rules/replies.ts";
import { leaseJob } from "./lease-job.ts";
import type { Lane, TypeRow } from "./row-types.ts";
import type { Store } from "./store.ts";

/** Leases ready jobs: by priority, then in the order of the types, then oldest first. */
export function claimJobs(store: Store, claim: Claim, now: number): readonly ClaimedJob[] {
  const asked = busyTypes(store, claim);
  if (asked.length === 0) return nothing;
  const claimed: ClaimedJob[] = [];
  while (claimed.length < claim.limit) {
    const priority = highestOf(asked);
    if (priority === undefined) break;
    for (const { type, leaseMs } of asked) {
      if (claimed.length >= claim.limit) break;
      const [lane] = type.busy;
      if (lane?.priority === priority) claimFrom(store, lane, { leaseMs, claim, now, claimed });
    }
  }
  return claimed;
}

/** Milliseconds until the first job of these types is due or the first of their leases expires. */
export function nextDueInMs(store: Store, claim: Claim, now: number): number | undefined {
  let next = Infinity;
  for (const asked of claim.types) {
    const type = store.lanes.types.get(claimName(asked));
    if (type === undefined) continue;
    next = Math.min(
      next,
      peekKey(type.scheduled) ?? Infinity,
      peekKey(type.waits) ?? Infinity,
      peekKey(type.leases) ?? Infinity,
    );
  }
  return next === Infinity ? undefined : Math.max(0, next - now);
}

/** A type that a claim names. */
export interface Asked {
  readonly type: TypeRow;
  readonly leaseMs: number;
}

/** The types with entries: neither other types nor priorities at which nothing waits are looked at. */
function busyTypes({ lanes }: Store, { types }: Claim): readonly Asked[] {
  const asked: Asked[] = [];
  for (const one of types) {
    const type = lanes.types.get(claimName(one));
    if (type !== undefined && type.busy.length > 0) asked.push({ type, leaseMs: one.leaseMs });
  }
  return asked;
}

function highestOf(asked: readonly Asked[]): number | undefined {
  let highest: number | undefined;
  for (const { type } of asked) {
    const priority = type.busy[0]?.priority;
    if (priority !== undefined && (highest === undefined || priority > highest)) highest = priority;
  }
  return highest;
}

export interface Round {
  readonly leaseMs: number;
  readonly claim: Claim;
  readonly now: number;
  readonly claimed: ClaimedJob[];
}

/** Claims until the limit is reached or the lane has no entries; then it is removed from the busy ones. */
export function claimFrom(store: Store, lane: Lane, { leaseMs, claim, now, claimed }: Round): void {
  while (claimed.length < claim.limit) {
    const row = takeOldest(lane);
    if (row === undefined) return;
    claimed.push(leaseJob(store, row, { workerId: claim.workerId, leaseMs, now }));
  }
}
