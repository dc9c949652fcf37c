import type { Key, KeyHolder, Rows } from "../rules/rows.ts";
import { freeKey, holderOf, takeKey } from "./deduplication.ts";
import { chainsBlockedBy, deleteChain } from "./delete-chain.ts";
import { completeJob, countDown, endJob, makeReady, putBack, unblock } from "./end-job.ts";
import { insertJob } from "./insert-job.ts";
import { allOrNothing } from "./journal.ts";
import { findLeased } from "./leases.ts";
import { takeRelease, waitingFor } from "./releases.ts";
import { blame, failedBecauseOf, reopenChain, reopenJob } from "./reopen-job.ts";
import { chainOf, chainStatusOf, lastOf, openBlockers, statusAt } from "./row-types.ts";
import type { JobRow } from "./row-types.ts";
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
    chain: (id) => {
      const row = jobs.get(id);
      return row === undefined || row.chain !== undefined ? undefined : row;
    },
    job: (id) => jobs.get(id),
    leasedJob: (fence) => findLeased(store, fence),
    lastJob: lastOf,
    chainOf,
    typeNameOf: (row) => row.lane.type.name,
    claimNameOf: (row) => row.lane.type.claimName,
    chainStatusOf,
    jobStatusOf: statusAt,
    workerOf: (row, now) => (statusAt(row, now) === "running" ? row.lease?.workerId : undefined),
    keyOf: (chain): Key | undefined => chain.shared?.deduplication,
    keyHolder: (key, now): KeyHolder<JobRow> | undefined => {
      const chain = holderOf(store, key, now)?.chain;
      if (chain === undefined) return undefined;
      const { input, createdAt } = chain;
      return { chain, status: chainStatusOf(chain), input, version: chain.lane.type.version, createdAt };
    },
    blockersOf: ({ onBlockerFailure, blocking }) => ({ onBlockerFailure, open: openBlockers(blocking?.chains ?? []) }),
    chainsBlockedBy,
    failedBecauseOf,
    isReferenced: ({ shared }) => shared?.dependents !== undefined && shared.dependents.size > 0,
    // No other process shares the store, so nothing is noted.
    isAwaited: () => false,
    hasReleases: () => releases.size > 0,

    allOrNothing: (run) => allOrNothing(store, run),
    insert: (start, place, now) => insertJob(store, start, place, now),
    end: (row, chain, end) => endJob(store, row, chain, end),
    complete: (row, next, ending) => completeJob(store, row, next, ending),
    putBack: (row, wait) => putBack(store, row, wait),
    makeReady: (row, now) => makeReady(store, row, now),
    waitingFor: (chain, status, limit) => waitingFor(store, { chain, status }, limit),
    takeRelease: (limit) => takeRelease(store, limit),
    countDown: (row, left) => countDown(store, row, left),
    unblock: (row, dueAt, now) => unblock(store, row, dueAt, now),
    reopenJob: (row, reopening) => reopenJob(store, row, reopening),
    reopenChain: (chain) => reopenChain(store, chain),
    blame: (row, failure) => blame(store, row, failure),
    takeKey: ({ shared }) => {
      if (shared?.deduplication !== undefined) takeKey(store, shared.deduplication);
    },
    freeKey: ({ shared }) => {
      if (shared?.deduplication !== undefined) freeKey(store, shared.deduplication);
    },
    remove: (chain) => deleteChain(store, chain),
  };
}
