import type { JobStart } from "../model/job-start.ts";
import type { Failure, Place, Replacement } from "../rules/rows.ts";
import { takeKey } from "./deduplication.ts";
import { nothing } from "../rules/replies.ts";
import { noEnds } from "./chain-ends.ts";
import { moveDeadline } from "./ends.ts";
import { laneOf } from "./lane-of.ts";
import type { Blocking, JobRow } from "./row-types.ts";
import { noShared } from "./shared.ts";
import { addRow, enter, leave, touch } from "./store.ts";
import type { Store } from "./store.ts";

/** Undefined: the id is taken. */
export function insertJob(
  store: Store,
  start: JobStart,
  place: Place<JobRow, JobRow>,
  now: number,
): JobRow | undefined {
  if (store.jobs.has(start.id)) return undefined;
  const { after, blockers, key, failure } = place;
  const chain = after?.chain ?? after;
  store.sequence += 1;
  const row: JobRow = {
    id: start.id,
    chain,
    lane: laneOf(store, start, start.priority),
    step: after === undefined ? 1 : after.step + 1,
    position: store.sequence,
    createdAt: now,
    onBlockerFailure: start.onBlockerFailure,
    context: start.context,
    status: place.status,
    input: start.input,
    output: undefined,
    outputVersion: 1,
    errors: undefined,
    attempt: 0,
    fence: 0,
    readyAt: place.dueAt,
    lease: undefined,
    endedAt: undefined,
    next: undefined,
    blocking: undefined,
    wait: place.wait && { ...place.wait, received: nothing },
    last: undefined,
    shared: undefined,
    queued: undefined,
  };
  const { tags } = start;
  if (key !== undefined || tags !== undefined)
    row.shared = { ...noShared, deduplication: key && { ...key, heldUntil: key.until, chain: row }, tags };
  const { whenStopped } = start;
  const { deadlineAt, own } = place;
  if (whenStopped !== undefined || deadlineAt !== undefined)
    row.shared = { ...(row.shared ?? noShared), ends: { ...noEnds, whenStopped, deadlineAt } };
  if (blockers.length > 0) {
    row.blocking = { chains: blockers, own, left: place.open.length, countedAt: row.position, failedBy: undefined };
    if (failure !== undefined) failWith(row, failure, now);
  }
  addRow(store, row);
  if (deadlineAt !== undefined) moveDeadline(store, row, { from: undefined, to: deadlineAt });
  // Most jobs have none.
  if (blockers.length > 0) linkBlockers(store, row, { blockers, own });
  if (chain !== undefined) {
    touch(store, chain);
    chain.last = row;
  }
  return row;
}

/** Gives the first job of a chain what a later start with its key brings. */
export function replaceInput(
  store: Store,
  row: JobRow,
  start: JobStart,
  { dueAt, status, until, heldUntil }: Replacement,
): void {
  leave(store, row);
  store.changes?.jobs.set(row, "whole");
  row.lane = laneOf(store, start, start.priority);
  row.input = start.input;
  row.context = start.context;
  row.readyAt = dueAt;
  row.status = status;
  const { shared } = row;
  if (shared?.deduplication !== undefined) {
    const deduplication = { ...shared.deduplication, until, heldUntil };
    row.shared = { ...shared, deduplication };
    takeKey(store, deduplication);
  }
  enter(store, row);
}

/** The state of a job that failed because of a blocker. */
export function failWith(row: JobRow, { by, errors }: Failure<JobRow>, now: number): void {
  row.status = "failed";
  row.errors = errors;
  row.endedAt = now;
  row.blocking = row.blocking && { ...row.blocking, failedBy: by };
}

export function setReason(store: Store, chain: JobRow, reason: string | undefined): void {
  if (chain.shared?.reason === reason) return;
  touch(store, chain);
  chain.shared = { ...(chain.shared ?? noShared), reason };
}

export function setBlocking(store: Store, row: JobRow, blocking: Blocking): void {
  touch(store, row);
  row.blocking = blocking;
}

export function removeDependent(store: Store, chain: JobRow, row: JobRow): void {
  const dependents = chain.shared?.dependents;
  if (dependents?.delete(row) === true) store.journal?.push(() => dependents.add(row));
}

function linkBlockers(
  store: Store,
  row: JobRow,
  { blockers, own }: Pick<Place<JobRow, JobRow>, "blockers" | "own">,
): void {
  for (const blocker of new Set(blockers)) addDependent(store, blocker, row);
  for (const blocker of own) {
    touch(store, blocker);
    blocker.shared = { ...(blocker.shared ?? noShared), startedFor: row };
  }
}

function addDependent(store: Store, chain: JobRow, row: JobRow): void {
  let dependents = chain.shared?.dependents;
  if (dependents === undefined) {
    dependents = new Set();
    touch(store, chain);
    chain.shared = { ...(chain.shared ?? noShared), dependents };
  }
  const entered = dependents;
  entered.add(row);
  store.journal?.push(() => entered.delete(row));
}
