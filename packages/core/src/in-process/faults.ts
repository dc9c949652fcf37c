import { heldKey } from "../model/held-key.ts";
import type { FaultKind } from "../model/fault.ts";
import type { StoreFault } from "../ports/doctor.ts";
import { allJobStatuses } from "../model/status.ts";
import { hasPassed } from "./deduplication.ts";
import { byTypeName, countOf } from "./lanes.ts";
import { nothing } from "../rules/replies.ts";
import { toJobRef } from "./records.ts";
import { chainOf, chainStatusOf, lastOf } from "./row-types.ts";
import type { DeduplicationRow, JobRow } from "./row-types.ts";
import type { Store } from "./store.ts";

/** What is wrong with a job and its chain. */
export function faultsOfJob(store: Store, row: JobRow): readonly StoreFault[] {
  if (row.chain !== undefined) {
    // One job of such a chain is enough to report it.
    const isLost = !isThere(store, row.chain) && lastOf(row.chain) === row;
    return isLost ? [{ kind: "job-without-chain", id: row.chain.id, chainId: row.chain.id }] : nothing;
  }
  if (chainStatusOf(row) !== "active") return nothing;
  const last = lastOf(row);
  const typeName = last.lane.type.name;
  if (!isThere(store, last)) return [{ ...faultOf("chain-not-ended", row), typeName }];
  return isOutOfLane(last) ? [{ ...faultOf("chain-without-open-job", row), typeName }] : nothing;
}

/** A ready job that no claim would find. */
export function isOutOfLane(row: JobRow): boolean {
  return row.status === "ready" && !row.queued;
}

export function isHeldByNoOne(store: Store, { status, lease }: JobRow, now: number): boolean {
  if (status !== "running" || lease === undefined || lease.until <= now) return false;
  return (store.workers.get(lease.workerId)?.aliveUntil ?? 0) <= now;
}

/** Faults of the blockers of a job, and of the jobs that wait for a chain. */
export function faultsOfBlocking(store: Store, row: JobRow): readonly StoreFault[] {
  const strays = strayDependents(store, row).map((stray): StoreFault => ({
    ...faultOf("blocker-without-job", stray),
    chainId: row.id,
  }));
  if (row.status !== "blocked" || row.blocking === undefined) return strays;
  const cause = missedCause(store, row);
  if (row.blocking.left !== waitsOf(store, row) || row.blocking.left === 0) strays.push(faultOf("missed-release", row));
  if (cause !== undefined) strays.push({ ...faultOf("missed-failure", row), chainId: cause.id });
  return strays;
}

/** Entries of a chain for jobs that do not wait for it. */
export function strayDependents(store: Store, chain: JobRow): JobRow[] {
  return [...(chain.shared?.dependents ?? nothing)].filter((row) => !isThere(store, row));
}

/** How many chains have still to release a job: those that have not completed, and those that have and are at it. */
export function waitsOf(store: Store, row: JobRow): number {
  const chains = new Set(row.blocking?.chains ?? nothing);
  return [...chains].filter(
    (chain) => chain !== undefined && (chainStatusOf(chain) !== "completed" || isReleasing(store, chain, row)),
  ).length;
}

/** A chain that failed or was cancelled and left this job behind. */
export function missedCause(store: Store, row: JobRow): JobRow | undefined {
  if (row.status !== "blocked" || row.onBlockerFailure === "wait") return undefined;
  return row.blocking?.chains.find((chain) => {
    const status = chain && chainStatusOf(chain);
    return (status === "failed" || status === "cancelled") && chain !== undefined && !isReleasing(store, chain, row);
  });
}

function isReleasing({ releases }: Store, chain: JobRow, row: JobRow): boolean {
  const release = releases.get(chain);
  if (release === undefined || (row.blocking?.countedAt ?? 0) > release.since) return false;
  return release.rows.indexOf(row, release.at) >= 0;
}

export function isStale(store: Store, { chain, scope }: DeduplicationRow): boolean {
  return !isThere(store, chain) || (scope === "active" && chainStatusOf(chain) !== "active");
}

export function staleKeys(store: Store, now: number): StoreFault[] {
  const stale = [...store.deduplications.values()].filter((row) => !hasPassed(row, now) && isStale(store, row));
  return stale.map((row) => ({ ...faultOf("stale-key", row.chain), id: heldKey(row) }));
}

export function wrongCounts({ lanes, jobs }: Store): StoreFault[] {
  const actual = new Map<string, number>();
  for (const { lane, status } of jobs.values()) {
    const cell = `${status} ${lane.type.name}`;
    actual.set(cell, (actual.get(cell) ?? 0) + 1);
  }
  return [...byTypeName(lanes)].flatMap(([name, rows]) =>
    allJobStatuses
      .map((id): StoreFault => {
        return {
          kind: "wrong-count",
          id,
          typeName: name,
          counted: countOf(rows, id),
          actual: actual.get(`${id} ${name}`) ?? 0,
        };
      })
      .filter(({ counted, actual: there }) => counted !== there),
  );
}

export function isThere({ jobs }: Store, row: JobRow): boolean {
  return jobs.get(row.id) === row;
}

export function faultOf(kind: FaultKind, row: JobRow): StoreFault {
  const { jobId, typeName } = toJobRef(row);
  return { kind, id: jobId, chainId: chainOf(row).id, typeName };
}
