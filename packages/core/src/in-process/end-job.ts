import type { End, EndedBy, Wait } from "../rules/rows.ts";
import { setBlocking, setReason } from "./insert-job.ts";
import { hasPlaces } from "./limit-lanes.ts";
import { noteCompleted } from "./notes.ts";
import { keptPlaces } from "./row-types.ts";
import type { JobRow } from "./row-types.ts";
import { enter, leave } from "./store.ts";
import type { Store } from "./store.ts";

export function endJob(store: Store, row: JobRow, chain: JobRow, end: End<JobRow>): void {
  setReason(store, chain, end.reason);
  leave(store, row);
  row.status = end.status;
  row.output = end.output;
  row.outputVersion = end.outputVersion ?? 1;
  row.errors = end.errors ?? row.errors;
  if (end.by === "other") row.lease = undefined;
  row.endedAt = end.now;
  if (end.status === "completed") forget(store, row);
  if (end.failedBy !== undefined && row.blocking !== undefined) {
    row.blocking = { ...row.blocking, failedBy: end.failedBy };
  }
  enter(store, row);
}

export function completeJob(
  store: Store,
  row: JobRow,
  next: JobRow,
  { by, now }: { readonly by: EndedBy; readonly now: number },
): void {
  leave(store, row);
  row.status = "completed";
  row.next = next;
  if (by === "other") row.lease = undefined;
  row.endedAt = now;
  forget(store, row);
  enter(store, row);
}

/** A completed job never runs again, so it must not keep a lane of limits in memory, nor what only its attempts need. */
function forget(store: Store, row: JobRow): void {
  noteCompleted(store, row);
  row.lane = row.lane.limited?.plain ?? row.lane;
}

export function putBack(store: Store, row: JobRow, { dueAt, status, counted, errors }: Wait): void {
  leave(store, row);
  const keepsPlaces = row.lane.limited?.lane.holds === true && hasPlaces(row);
  row.readyAt = dueAt;
  row.status = status;
  row.lease = keepsPlaces ? keptPlaces : undefined;
  if (!counted) row.attempt -= 1;
  row.errors = errors ?? row.errors;
  enter(store, row);
}

export function makeReady(store: Store, row: JobRow, now: number): void {
  leave(store, row);
  row.status = "ready";
  row.readyAt = now;
  enter(store, row);
}

export function countDown(store: Store, row: JobRow, left: number): void {
  if (row.blocking !== undefined) setBlocking(store, row, { ...row.blocking, left });
}

export function unblock(store: Store, row: JobRow, dueAt: number, now: number): void {
  leave(store, row);
  row.blocking = row.blocking && { ...row.blocking, left: 0 };
  row.status = dueAt > now ? "scheduled" : "ready";
  row.readyAt = dueAt;
  enter(store, row);
}
