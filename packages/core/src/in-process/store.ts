import { heldKey } from "../model/held-key.ts";
import { noteState, type Changes } from "./changes.ts";
import type { HistoryRow } from "./history-row.ts";
import { pushHeap } from "./heap.ts";
import { enterHeap, createLazyHeap, leaveHeap, takeUpTo } from "./lazy-heap.ts";
import type { LazyHeap } from "./lazy-heap.ts";
import { createLanes, enterLane, leaveLane } from "./lanes.ts";
import type { Lanes } from "./lanes.ts";
import { addLabels, removeLabels } from "./labels.ts";
import { createPutOff, recall } from "./put-off.ts";
import type { PutOff } from "./put-off.ts";
import { createLimits, enterLimits, leaveLimits } from "./limit-lanes.ts";
import { endsChain, queueOf } from "./row-types.ts";
import type { DeduplicationRow, JobRow, LimitStore, PauseRow, Release } from "./row-types.ts";
import type { WorkerRow } from "./worker-row.ts";
import { createNotes, type Notes } from "./note-store.ts";
import { createSchedules, type Schedules } from "./schedules.ts";
import { createSignals, setWaiter, type Signals } from "./signal-store.ts";
import { addSorted, createSortedRows, removeSorted } from "./sorted-rows.ts";
import type { SortedRows } from "./sorted-rows.ts";

/** Everything that the adapter stores. */
export interface Store {
  /** Differs from the id of every other store. */
  readonly id: string;
  readonly jobs: Map<string, JobRow>;
  readonly jobsById: SortedRows;
  /** First rows. */
  readonly chainsById: SortedRows;
  /** The chains with a deduplication key or tags, by each of their labels. */
  readonly labels: Map<string, SortedRows>;
  readonly lanes: Lanes;
  /** The last rows of ended chains, by their end: retention reads these. */
  readonly ended: LazyHeap<JobRow>;
  /** The same for failed ones. */
  readonly failed: LazyHeap<JobRow>;
  /** Rows of chains that had expired while another one needed them: not in the two above until retention checks them again. */
  readonly needed: PutOff<JobRow>;
  readonly deduplications: Map<string, DeduplicationRow>;
  /** Those with a window, by its end. */
  readonly windows: LazyHeap<DeduplicationRow>;
  /** First rows of active chains, by their deadline. */
  readonly deadlines: LazyHeap<JobRow>;
  readonly workers: Map<string, WorkerRow>;
  /** What workers have counted, see `history.ts`. */
  readonly history: Map<string, HistoryRow>;
  /** By job type. */
  readonly pauses: Map<string, PauseRow>;
  readonly schedules: Schedules;
  readonly signals: Signals;
  readonly notes: Notes;
  readonly limits: LimitStore;
  /** By chain, oldest first: jobs that ended chains have still to release. */
  readonly releases: Map<JobRow, Release>;
  /** The last position given out. */
  sequence: number;
  /** No scheduled job is due and no lease runs out before this moment. */
  nextDueAt: number;
  /** Where changes note how to undo them: while a transaction is applied, or within `allOrNothing`. */
  journal: Undo[] | undefined;
  /** Where changes are noted for a log, see `changes.ts`. Undefined: the store has none. */
  changes: Changes | undefined;
}

export type Undo = () => void;

/** `id`: of a store that a log has kept. */
export function createStore(id: string = globalThis.crypto.randomUUID()): Store {
  const deduplications = new Map<string, DeduplicationRow>();
  const hasEnded = (row: JobRow, at: number) => endsChain(row) && row.endedAt === at;
  return {
    id,
    jobs: new Map(),
    jobsById: createSortedRows(),
    chainsById: createSortedRows(),
    labels: new Map(),
    lanes: createLanes(),
    ended: createLazyHeap(hasEnded),
    failed: createLazyHeap(hasEnded),
    needed: createPutOff(),
    deduplications,
    windows: createLazyHeap((row) => deduplications.get(heldKey(row)) === row),
    deadlines: createLazyHeap(({ shared, status }, at) => status !== "removed" && shared?.ends?.deadlineAt === at),
    workers: new Map(),
    history: new Map(),
    pauses: new Map(),
    schedules: createSchedules(),
    signals: createSignals(),
    notes: createNotes(),
    limits: createLimits(),
    releases: new Map(),
    sequence: 0,
    nextDueAt: Infinity,
    journal: undefined,
    changes: undefined,
  };
}

export function addRow(store: Store, row: JobRow): void {
  store.jobs.set(row.id, row);
  indexRow(store, row);
  store.changes?.jobs.set(row, "whole");
  if (store.journal !== undefined) noteAdded(store, store.journal, row);
}

/** Puts a row that is among the jobs into all indexes. */
export function indexRow(store: Store, row: JobRow): void {
  addSorted(store.jobsById, row);
  if (row.chain === undefined) addChain(store, row);
  enter(store, row);
}

export function removeRow(store: Store, row: JobRow): void {
  leave(store, row);
  extract(store, row);
  if (store.journal !== undefined) noteRemoved(store, store.journal, row);
}

/** Called before a change of the fields that queues and counts use: status, times, lease, next. `enter` must follow. */
export function leave(store: Store, row: JobRow): void {
  if (store.changes !== undefined) noteState(store.changes, row);
  leaveForNow(store, row);
}

/** The same before a change that no restart keeps: the end of a lease. */
export function leaveForNow(store: Store, row: JobRow): void {
  if (store.journal !== undefined) noteLeft(store, store.journal, row);
  leaveIndexes(store, row);
}

/** Called after such a change. */
export function enter(store: Store, row: JobRow): void {
  const { type } = row.lane;
  switch (row.status) {
    case "ready":
      enterLane(row);
      break;
    case "scheduled":
      enterHeap(type.scheduled, row.readyAt, row);
      if (row.readyAt < store.nextDueAt) store.nextDueAt = row.readyAt;
      break;
    case "waiting":
      enterWait(store, row);
      break;
    case "running": {
      const until = row.lease?.until ?? row.readyAt;
      enterHeap(type.leases, until, row);
      if (until < store.nextDueAt) store.nextDueAt = until;
      break;
    }
    case "removed":
      return;
    default:
      if (endsChain(row)) enterHeap(endsOf(store, row), row.endedAt ?? 0, row);
  }
  type.counts[row.status] += 1;
  const { limited } = row.lane;
  if (limited !== undefined) enterLimits(store.limits, row, limited.lane);
}

/** Before any other change to a row. */
export function touch(store: Store, row: JobRow): void {
  if (store.changes !== undefined) noteState(store.changes, row);
  if (store.journal !== undefined) noteTouched(store.journal, row);
}

/** Makes jobs ready that are due, or whose time to wait is over, and running ones whose lease has expired. */
export function promote(store: Store, now: number): void {
  if (now < store.nextDueAt) return;
  store.nextDueAt = Infinity;
  for (const { scheduled, waits, leases } of store.lanes.types.values()) {
    for (let row = takeUpTo(scheduled, now); row !== undefined; row = takeUpTo(scheduled, now)) {
      leave(store, row);
      row.status = "ready";
      enter(store, row);
    }
    for (let row = takeUpTo(waits, now); row !== undefined; row = takeUpTo(waits, now)) {
      leave(store, row);
      row.status = "ready";
      enter(store, row);
    }
    for (let row = takeUpTo(leases, now); row !== undefined; row = takeUpTo(leases, now)) {
      leave(store, row);
      // The lease stays: until another worker claims the job, the attempt may still settle.
      row.status = "ready";
      row.readyAt = row.lease?.until ?? now;
      enter(store, row);
    }
    for (const { keys } of [scheduled, waits, leases]) store.nextDueAt = Math.min(store.nextDueAt, keys[0] ?? Infinity);
  }
}

/** Makes retention check the last row of an ended chain again, as if no other chain had needed it. */
export function reconsider(store: Store, row: JobRow): void {
  recall(store.needed, row);
  if (row.endedAt !== undefined && endsChain(row)) pushHeap(endsOf(store, row), row.endedAt, row);
}

function endsOf(store: Store, { status }: JobRow): LazyHeap<JobRow> {
  return status === "failed" ? store.failed : store.ended;
}

function addChain({ chainsById, labels }: Store, chain: JobRow): void {
  addSorted(chainsById, chain);
  if (chain.shared !== undefined) addLabels(labels, chain);
}

function removeChain({ chainsById, labels }: Store, chain: JobRow): void {
  removeSorted(chainsById, chain);
  if (chain.shared !== undefined) removeLabels(labels, chain);
}

/** A wait without an end is in no queue. */
function enterWait(store: Store, row: JobRow): void {
  const until = row.wait?.until;
  if (until !== undefined) {
    enterHeap(row.lane.type.waits, until, row);
    if (until < store.nextDueAt) store.nextDueAt = until;
  }
  setWaiter(store.signals, row, true);
}

function leaveWait({ signals }: Store, row: JobRow): void {
  if (row.wait?.until !== undefined) leaveHeap(row.lane.type.waits);
  setWaiter(signals, row, false);
}

/** Takes a row that has left the indexes out; entries that queues still have for it are stale from here on. */
function extract(store: Store, row: JobRow): void {
  store.jobs.delete(row.id);
  removeSorted(store.jobsById, row);
  if (row.chain === undefined) removeChain(store, row);
  row.status = "removed";
}

function leaveIndexes(store: Store, row: JobRow): void {
  const { lane } = row;
  switch (row.status) {
    case "ready":
      leaveLane(queueOf(row));
      break;
    case "scheduled":
      leaveHeap(lane.type.scheduled);
      break;
    case "running":
      leaveHeap(lane.type.leases);
      break;
    case "waiting":
      leaveWait(store, row);
      break;
    case "removed":
      return;
    default:
      if (endsChain(row)) leaveHeap(endsOf(store, row));
  }
  lane.type.counts[row.status] -= 1;
  if (lane.limited !== undefined) leaveLimits(store.limits, row, lane.limited.lane);
}

// The notes are functions of their own: a closure costs the function around it an allocation even when it is not created.

function noteAdded(store: Store, journal: Undo[], row: JobRow): void {
  journal.push(() => {
    leaveIndexes(store, row);
    extract(store, row);
  });
}

/** `leave` has noted the row as it was; that is undone after this. */
function noteRemoved(store: Store, journal: Undo[], row: JobRow): void {
  journal.push(() => {
    store.jobs.set(row.id, row);
    addSorted(store.jobsById, row);
    if (row.chain === undefined) addChain(store, row);
  });
}

function noteLeft(store: Store, journal: Undo[], row: JobRow): void {
  const copy = { ...row };
  journal.push(() => {
    leaveIndexes(store, row);
    restore(row, copy);
    enter(store, row);
  });
}

function noteTouched(journal: Undo[], row: JobRow): void {
  const copy = { ...row };
  journal.push(() => {
    restore(row, copy);
  });
}

function restore(row: JobRow, copy: JobRow): void {
  const { queued } = row;
  Object.assign(row, copy);
  row.queued = queued;
}
