import { keptPlaces } from "../in-process/row-types.ts";
import type { Blocking, JobRow, Shared } from "../in-process/row-types.ts";
import type { ChainEnds } from "../in-process/chain-ends.ts";

/** In the order of their numbers in a log, which never change. */
export const statuses = [
  "blocked",
  "waiting",
  "scheduled",
  "ready",
  "running",
  "completed",
  "failed",
  "cancelled",
] as const;

/** What most jobs never change after their start. */
export function placeOf(row: JobRow): readonly unknown[] {
  // The row is not copied: that took more than all the rest of this.
  const { lane, blocking } = row;
  const { name, version, pool } = lane.type;
  return trimmed([
    name,
    row.step,
    row.position,
    row.createdAt,
    row.input,
    row.chain?.id,
    lane.priority === 0 ? undefined : lane.priority,
    version === 1 ? undefined : version,
    pool,
    row.onBlockerFailure === "fail" ? undefined : row.onBlockerFailure,
    row.context,
    lane.limited?.lane.limits.map(({ limit, key }) => [limit, key]),
    blocking?.chains.map((chain) => chain?.id),
    blocking === undefined || blocking.own.length === 0 ? undefined : blocking.own.flatMap((own) => idOf(own) ?? []),
  ]);
}

export function stateOf(row: JobRow): readonly unknown[] {
  const { status, lease, next, blocking, wait, last, shared } = row;
  const begin = [status === "removed" ? 0 : statuses.indexOf(status), row.readyAt, row.attempt, row.fence];
  return trimmed([
    ...begin,
    row.endedAt,
    row.output,
    row.outputVersion === 1 ? undefined : row.outputVersion,
    row.errors,
    row.endedAt !== undefined && lease !== undefined ? [lease.workerId, lease.startedAt, lease.until] : undefined,
    lease === keptPlaces ? 1 : undefined,
    next?.id,
    last?.id,
    blocking && blockingOf(blocking),
    wait,
    shared && sharedOf(shared),
  ]);
}

function blockingOf({ left, countedAt, failedBy }: Blocking): readonly unknown[] {
  return trimmed([left, countedAt, idOf(failedBy)]);
}

function sharedOf({ reason, deduplication, tags, startedFor, follows, ends }: Shared): readonly unknown[] {
  const key = deduplication && [deduplication.key, deduplication.scope, deduplication.until, deduplication.heldUntil];
  return trimmed([reason, key, tags, idOf(startedFor), idOf(follows), ends && endsOf(ends)]);
}

function endsOf({ whenStopped, deadlineAt, held, compensations, followUps }: ChainEnds<JobRow>): readonly unknown[] {
  return [
    whenStopped,
    deadlineAt,
    held,
    compensations,
    followUps.map(({ chain, kind }) => (isThere(chain) ? [chain.id, kind] : [chain.id, kind, 1])),
  ];
}

/** Of a row that was not deleted. */
function idOf(row: JobRow | undefined): string | undefined {
  return row !== undefined && isThere(row) ? row.id : undefined;
}

function isThere({ status }: JobRow): boolean {
  return status !== "removed";
}

/** Without what is undefined at its end. */
function trimmed(values: unknown[]): readonly unknown[] {
  while (values.length > 0 && values[values.length - 1] === undefined) values.pop();
  return values;
}
