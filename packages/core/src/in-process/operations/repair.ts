import { allJobStatuses } from "../../model/status.ts";
import type { FaultKind } from "../../model/fault.ts";
import type { RepairOutcome, RepairRequest, StoreFault } from "../../ports/doctor.ts";
import { freeKey } from "../deduplication.ts";
import {
  isHeldByNoOne,
  isOutOfLane,
  isStale,
  isThere,
  missedCause,
  strayDependents,
  waitsOf,
  wrongCounts,
} from "../faults.ts";
import { freePlaces, takePlaces } from "../limit-faults.ts";
import { byTypeName, countOf } from "../lanes.ts";
import { nothing } from "../../rules/replies.ts";
import { keepRelease } from "../releases.ts";
import { chainStatusOf, lastOf } from "../row-types.ts";
import type { JobRow } from "../row-types.ts";
import { dropStrayNotes } from "../stray-notes.ts";
import { dropStaleTag } from "../stale-tags.ts";
import { enter, leave, removeRow } from "../store.ts";
import type { Store } from "../store.ts";
import { removeDependent, setBlocking } from "../insert-job.ts";

/** Repairs a fault if it is still there. */
export function repair(store: Store, { faults }: RepairRequest, now: number): readonly RepairOutcome[] {
  return faults.map((fault) => {
    const mend = mends[fault.kind];
    if (mend === undefined) return "left";
    return mend(store, fault, now) ? "repaired" : "gone";
  });
}

type Mend = (store: Store, fault: StoreFault, now: number) => boolean;

const mends: Readonly<Partial<Record<FaultKind, Mend>>> = {
  "job-without-chain": (store, { id }) => {
    const rows = [...store.jobs.values()].filter(({ chain }) => chain?.id === id && !isThere(store, chain));
    for (const row of rows) removeLost(store, row);
    return rows.length > 0;
  },
  "chain-without-open-job": (store, { id }) => {
    const chain = store.jobs.get(id);
    const last = chain && lastOf(chain);
    if (last === undefined || !isOutOfLane(last)) return false;
    makeReady(store, last, last.readyAt);
    return true;
  },
  "note-without-job": dropStrayNotes,
  "lease-of-no-one": (store, { id, workerId }, now) => {
    const row = store.jobs.get(id);
    if (row === undefined || row.lease?.workerId !== workerId || !isHeldByNoOne(store, row, now)) return false;
    makeReady(store, row, now);
    return true;
  },
  "place-without-job": freePlaces,
  "job-without-place": (store, { id }) => {
    const row = store.jobs.get(id);
    return row !== undefined && takePlaces(row);
  },
  "blocker-without-job": (store, { id, chainId }) => {
    const chain = store.jobs.get(chainId ?? "");
    const strays = chain === undefined ? [] : strayDependents(store, chain).filter((row) => row.id === id);
    for (const row of strays) if (chain !== undefined) removeDependent(store, chain, row);
    return strays.length > 0;
  },
  "missed-release": (store, { id }, now) => {
    const row = store.jobs.get(id);
    if (row?.status !== "blocked" || row.blocking === undefined) return false;
    const left = waitsOf(store, row);
    if (left > 0 && left === row.blocking.left) return false;
    setBlocking(store, row, { ...row.blocking, left });
    if (left === 0) makeReady(store, row, Math.max(row.readyAt, now), row.readyAt > now ? "scheduled" : "ready");
    return true;
  },
  "missed-failure": (store, { id }) => {
    const row = store.jobs.get(id);
    const chain = row && missedCause(store, row);
    if (row === undefined || chain === undefined) return false;
    const status = chainStatusOf(chain) === "failed" ? "failed" : "cancelled";
    const before = store.releases.get(chain);
    const rows = [...(before?.rows.slice(before.at) ?? nothing), row];
    keepRelease(store, { chain, status, rows, at: 0, since: store.sequence });
    store.changes?.others.push(["released", chain.id]);
    return true;
  },
  "stale-key": (store, { id }) => {
    const row = store.deduplications.get(id);
    if (row === undefined || !isStale(store, row)) return false;
    freeKey(store, row);
    return true;
  },
  "stale-tag": dropStaleTag,
  "wrong-count": (store, { id, typeName }) => {
    const wrong = wrongCounts(store).find((fault) => fault.id === id && fault.typeName === typeName);
    const rows = byTypeName(store.lanes).get(typeName ?? "") ?? nothing;
    const status = allJobStatuses.find((each) => each === id);
    if (wrong?.actual === undefined || status === undefined) return false;
    const [first] = rows;
    if (first !== undefined) first.counts[status] += wrong.actual - countOf(rows, status);
    return first !== undefined;
  },
};

function makeReady(store: Store, row: JobRow, readyAt: number, status: "ready" | "scheduled" = "ready"): void {
  leave(store, row);
  row.status = status;
  row.readyAt = readyAt;
  row.lease = undefined;
  enter(store, row);
}

function removeLost(store: Store, row: JobRow): void {
  for (const blocker of row.blocking?.chains ?? nothing)
    if (blocker !== undefined) removeDependent(store, blocker, row);
  removeRow(store, row);
}
