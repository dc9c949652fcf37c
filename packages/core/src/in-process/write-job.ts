import { blockerFailureErrors } from "../model/blocker-failure.ts";
import type { JobStart } from "../model/job-start.ts";
import { dueAt } from "../model/schedule.ts";
import { laneFor } from "./lanes.ts";
import { brokenAmong, chainStatusOf, openBlockers } from "./rows.ts";
import type { Blocking, DeduplicationRow, JobRow, Shared } from "./rows.ts";
import { addRow, touch } from "./store.ts";
import type { Store } from "./store.ts";

const noShared: Shared = { reason: undefined, deduplication: undefined, dependents: undefined };

/** Writes a job whose id is free; it is the next one of `chain`, or begins one. Says nothing to what it ends. */
export function writeJob(store: Store, start: JobStart, place: Place, now: number): JobRow {
  const { chain, blockers } = place;
  const due = start.schedule === undefined ? now : dueAt(start.schedule, now);
  store.sequence += 1;
  const row: JobRow = {
    id: start.id,
    chain,
    lane: laneFor(store.lanes, start.typeName, start.priority),
    step: place.step,
    position: store.sequence,
    createdAt: now,
    onBlockerFailure: start.onBlockerFailure,
    context: start.context,
    status: due > now ? "scheduled" : "ready",
    input: start.input,
    output: undefined,
    errors: undefined,
    attempt: 0,
    fence: 0,
    readyAt: due > now ? due : now,
    lease: undefined,
    endedAt: undefined,
    next: undefined,
    blocking: undefined,
    last: undefined,
    shared: undefined,
    queued: false,
  };
  if (blockers.length > 0) block(row, blockers, now);
  addRow(store, row);
  for (const blocker of new Set(blockers)) addDependent(store, blocker, row);
  if (chain !== undefined) {
    touch(store, chain);
    chain.last = row;
  }
  return row;
}

export interface Place {
  /** Undefined: it begins one. */
  readonly chain: JobRow | undefined;
  readonly step: number;
  readonly blockers: readonly JobRow[];
}

/** The state of a failed job that a blocker has taken along. */
export function failWith(row: JobRow, cause: JobRow, now: number): void {
  const status = chainStatusOf(cause) === "failed" ? "failed" : "cancelled";
  row.status = "failed";
  row.errors = blockerFailureErrors({ chainId: cause.id, typeName: cause.lane.type.name, status, at: now });
  row.endedAt = now;
  row.blocking = row.blocking && { ...row.blocking, cause };
}

export function setReason(store: Store, chain: JobRow, reason: string | undefined): void {
  if (chain.shared?.reason === reason) return;
  touch(store, chain);
  chain.shared = { ...(chain.shared ?? noShared), reason };
}

/** On a chain that has just been written. */
export function setDeduplication(chain: JobRow, deduplication: DeduplicationRow): void {
  chain.shared = { ...(chain.shared ?? noShared), deduplication };
}

export function setBlocking(store: Store, row: JobRow, blocking: Blocking): void {
  touch(store, row);
  row.blocking = blocking;
}

export function removeDependent(store: Store, chain: JobRow, row: JobRow): void {
  const dependents = chain.shared?.dependents;
  if (dependents?.delete(row) === true) store.journal?.push(() => dependents.add(row));
}

function block(row: JobRow, chains: readonly JobRow[], now: number): void {
  const open = openBlockers(chains);
  row.blocking = { chains, left: open.length, countedAt: row.position, cause: undefined };
  const broken = brokenAmong(open);
  if (broken !== undefined && row.onBlockerFailure === "fail") failWith(row, broken, now);
  else if (open.length > 0) row.status = "blocked";
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
