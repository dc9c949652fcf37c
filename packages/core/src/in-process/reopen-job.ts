import type { FailedJob, Failure, Reopening } from "../rules/rows.ts";
import { failWith, setReason } from "./insert-job.ts";
import { laneAgain, laneOf } from "./lane-of.ts";
import { dropRelease } from "./releases.ts";
import type { JobRow } from "./row-types.ts";
import { byId } from "./sorted-rows.ts";
import { enter, leave } from "./store.ts";
import type { Store } from "./store.ts";

/** Counts the blockers at a new place in the sequence: a release of a chain that completed before does not count down again. */
export function reopenJob(store: Store, row: JobRow, reopening: Reopening): void {
  const { blockersLeft: left, input, version, limits, dueAt, waits } = reopening;
  leave(store, row);
  const { type, priority, limited } = row.lane;
  if (input !== undefined) {
    const key = { typeName: type.name, version: version ?? type.version, pool: type.pool, limits };
    store.changes?.jobs.set(row, "whole");
    row.lane = laneOf(store, key, priority);
  } else if (limited !== undefined) {
    row.lane = laneAgain(store, row.lane);
  }
  row.status = waits ? "waiting" : left > 0 ? "blocked" : "ready";
  row.attempt = 0;
  row.input = input ?? row.input;
  row.readyAt = dueAt ?? row.readyAt;
  row.lease = undefined;
  row.endedAt = undefined;
  if (row.blocking !== undefined) {
    store.sequence += 1;
    row.blocking = { ...row.blocking, left, countedAt: store.sequence, failedBy: undefined };
  }
  enter(store, row);
}

export function reopenChain(store: Store, chain: JobRow): void {
  dropRelease(store, chain);
  setReason(store, chain, undefined);
}

export function blame(store: Store, row: JobRow, failure: Failure<JobRow>): void {
  leave(store, row);
  failWith(row, failure, row.endedAt ?? 0);
  enter(store, row);
}

/** In the order of their ids. */
export function failedBecauseOf(chain: JobRow): FailedJob<JobRow>[] {
  const rows: JobRow[] = [];
  for (const row of chain.shared?.dependents ?? []) {
    if (row.status === "failed" && row.blocking?.failedBy === chain) rows.push(row);
  }
  return rows.sort(byId).map((row) => ({ job: row, endedAt: row.endedAt ?? 0 }));
}
