import { lostWorkerLimits } from "../model/lost-worker.ts";
import type { HeldJob, LostWorkerRecord } from "../model/record.ts";
import { keptPlaces, type JobRow } from "./row-types.ts";
import type { Store } from "./store.ts";
import type { WorkerRow } from "./worker-row.ts";
import { setWorker } from "./workers.ts";

/** Notes what workers hold that have been silent for half of the time for which their last heartbeat is valid. */
export function noteHeld(store: Store, noticedBy: string, now: number): void {
  for (const [id, row] of store.workers)
    if (id !== noticedBy && isSilent(row, now)) setWorker(store, id, { ...row, held: heldBy(store, id) });
}

function isSilent({ worker, aliveUntil, held }: WorkerRow, now: number): boolean {
  return held === undefined && (worker.lastSeenAt + aliveUntil) / 2 <= now;
}

/** In the order of their ids, because the order of the rows is another after a transaction was parked. Reads all jobs: such a loss is rare. */
function heldBy(store: Store, workerId: string): readonly HeldJob[] {
  const held: HeldJob[] = [];
  for (const row of store.jobs.values()) {
    const lease = openLease(row);
    if (lease?.workerId === workerId)
      held.push({ jobId: row.id, attempt: row.attempt, startedAt: lease.startedAt, leasedUntil: lease.until });
  }
  return held.sort((one, other) => (one.jobId < other.jobId ? -1 : 1)).slice(0, lostWorkerLimits.mostHeld);
}

function openLease({ lease, endedAt }: JobRow): JobRow["lease"] {
  return endedAt === undefined && lease !== keptPlaces ? lease : undefined;
}

export function listLostWorkers(store: Store, _request: undefined, now: number): readonly LostWorkerRecord[] {
  return lost(store, now).map(({ worker, aliveUntil, held }) => ({ ...worker, lostAt: aliveUntil, held }));
}

/** The newest loss first. */
function lost({ workers }: Store, now: number): readonly WorkerRow[] {
  return [...workers.values()]
    .filter(({ aliveUntil }) => aliveUntil <= now)
    .sort((one, other) => other.aliveUntil - one.aliveUntil || (one.worker.id < other.worker.id ? -1 : 1));
}

/** Deletes up to so many. Returns whether there may be more. */
export function forgetLostWorkers(store: Store, limit: number, now: number): boolean {
  const old = lost(store, now).filter(
    ({ aliveUntil }, place) => place >= lostWorkerLimits.mostWorkers || aliveUntil <= now - lostWorkerLimits.keptMs,
  );
  for (const { worker } of old.slice(0, limit)) setWorker(store, worker.id, undefined);
  return old.length >= limit;
}
