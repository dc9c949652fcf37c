import type { Key, KeyHolder, Rows } from "../rules/rows.ts";
import { freeKey, holderOf, takeKey } from "./deduplication.ts";
import { chainsBlockedBy, deleteChain } from "./delete-chain.ts";
import { createEnds } from "./ends.ts";
import { completeJob, countDown, endJob, makeReady, putBack, unblock } from "./end-job.ts";
import { insertJob, replaceInput } from "./insert-job.ts";
import { allOrNothing } from "./journal.ts";
import { findLeased } from "./leases.ts";
import { takeRelease, waitingFor } from "./releases.ts";
import { blame, failedBecauseOf, reopenChain, reopenJob } from "./reopen-job.ts";
import { openBlockers } from "./open-blockers.ts";
import { createNoteRows } from "./notes.ts";
import { chainOf, chainStatusOf, isUnclaimed, lastOf, statusAt } from "./row-types.ts";
import type { DeduplicationRow, JobRow } from "./row-types.ts";
import {
  addSignal,
  countUntaken,
  hasSignal,
  keep,
  keptFor,
  receive,
  takeSignals,
  untaken,
  waitersOf,
} from "./signals.ts";
import type { Store } from "./store.ts";

/** Jobs are their rows, and a chain is the row of its first job. */
export interface InProcessRows extends Rows<JobRow, JobRow> {
  readonly store: Store;
}

/** What the rules of chains read and write in a store. */
export function createRows(store: Store): InProcessRows {
  const { jobs, releases } = store;
  // One literal: an object put together from several would be slow to read.
  return {
    store,
    ends: createEnds(store),
    notes: createNoteRows(store),
    chain: (id) => firstRow(jobs.get(id)),
    job: (id) => jobs.get(id),
    leasedJob: (fence) => findLeased(store, fence),
    lastJob: lastOf,
    chainAndLastJob: (id) => withLast(firstRow(jobs.get(id))),
    chainOf,
    typeNameOf: (row) => row.lane.type.name,
    claimNameOf: (row) => row.lane.type.claimName,
    chainStatusOf,
    jobStatusOf: statusAt,
    workerOf: (row, now) => (statusAt(row, now) === "running" ? row.lease?.workerId : undefined),
    keyOf: (chain): Key | undefined => chain.shared?.deduplication,
    keyHolder: (key, now) => keyHolder(store, key, now),
    firstDueAt: (chain) => (isUnclaimed(chain) ? chain.readyAt : undefined),
    blockersOf: ({ onBlockerFailure, blocking }) => ({ onBlockerFailure, open: openBlockers(blocking?.chains ?? []) }),
    chainsBlockedBy,
    failedBecauseOf,
    isReferenced: ({ shared }) => shared?.dependents !== undefined && shared.dependents.size > 0,
    // No other process shares the store, so nothing is noted.
    isAwaited: () => false,
    hasReleases: () => releases.size > 0,
    waitOf: ({ wait, status }) => wait && { ...wait, isWaiting: status === "waiting" },
    hasSignal: (chain, id) => hasSignal(store, chain, id),
    countUntaken: (chain) => countUntaken(store, chain),
    untaken: (chain, typeName) => untaken(store, chain, typeName),
    waitersOf: (topic, typeName) => waitersOf(store, topic, typeName),
    keptFor: (topic, typeName, now) => keptFor(store, topic, typeName, now),

    allOrNothing: (run) => allOrNothing(store, run),
    insert: (start, place, now) => insertJob(store, start, place, now),
    end: (row, chain, end) => endJob(store, row, chain, end),
    complete: (row, next, ending) => completeJob(store, row, next, ending),
    putBack: (row, wait) => putBack(store, row, wait),
    makeReady: (row, now) => makeReady(store, row, now),
    addSignal: (chain, sent, at) => addSignal(store, chain, sent, at),
    receive: (job, chain, sent, taken) => receive(store, { job, chain, sent }, taken),
    take: (row, positions, received) => takeSignals(store, row, positions, received),
    keep: (topic, publication, until) => keep(store, topic, publication, until),
    waitingFor: (chain, status, limit) => waitingFor(store, { chain, status }, limit),
    takeRelease: (limit) => takeRelease(store, limit),
    countDown: (row, left) => countDown(store, row, left),
    unblock: (row, dueAt, now) => unblock(store, row, dueAt, now),
    reopenJob: (row, reopening) => reopenJob(store, row, reopening),
    reopenChain: (chain) => reopenChain(store, chain),
    blame: (row, failure) => blame(store, row, failure),
    replace: (chain, start, replacement) => replaceInput(store, chain, start, replacement),
    takeKey: (chain) => withKeyOf(chain, (key) => takeKey(store, key)),
    freeKey: (chain) => withKeyOf(chain, (key) => freeKey(store, key)),
    remove: (chain) => deleteChain(store, chain),
  };
}

function withKeyOf({ shared }: JobRow, change: (key: DeduplicationRow) => void): void {
  if (shared?.deduplication !== undefined) change(shared.deduplication);
}

function withLast(chain: JobRow | undefined) {
  return chain && { chain, job: lastOf(chain) };
}

function firstRow(row: JobRow | undefined): JobRow | undefined {
  return row === undefined || row.chain !== undefined ? undefined : row;
}

function keyHolder(store: Store, key: string, now: number): KeyHolder<JobRow> | undefined {
  const row = holderOf(store, key, now);
  if (row === undefined) return undefined;
  const { chain, heldUntil: until } = row;
  const { input, createdAt } = chain;
  return { chain, status: chainStatusOf(chain), input, version: chain.lane.type.version, createdAt, until };
}
