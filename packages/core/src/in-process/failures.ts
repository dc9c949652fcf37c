import { storedFailureKind } from "../model/stored-failure-kind.ts";
import type { FailureGroupRecord, FailureGroupsReply, FailureQuery } from "../ports/failure.ts";
import type { JobQuery } from "../ports/query.ts";
import type { JobRow } from "./row-types.ts";
import type { Store } from "./store.ts";

/** Reads all jobs: a store in a process has no more than fit into it. */
export function groupFailures({ jobs }: Store, { typeNames, since, limit }: FailureQuery): FailureGroupsReply {
  const types = typeNames && new Set(typeNames);
  const groups = new Map<string, FailureGroupRecord>();
  for (const row of jobs.values()) {
    const typeName = row.lane.type.name;
    if (!isFailure(row, { kind: undefined, since }) || types?.has(typeName) === false) continue;
    const kind = storedFailureKind(row.errors);
    const key = JSON.stringify([typeName, kind]);
    groups.set(key, withOneMore(groups.get(key) ?? { typeName, kind, ...noFailures }, row));
  }
  const all = [...groups.values()];
  return {
    groups: all.toSorted(largestFirst).slice(0, limit),
    groupCount: all.length,
    failureCount: all.reduce((sum, { count }) => sum + count, 0),
  };
}

export function isFailure(row: JobRow, { kind, since = -Infinity }: NonNullable<JobQuery["failures"]>): boolean {
  if (row.status !== "failed" || (row.endedAt ?? -Infinity) < since) return false;
  return kind === undefined || storedFailureKind(row.errors) === kind;
}

const noFailures = { count: 0, firstAt: Infinity, lastAt: -Infinity, newestJobId: "" };

function withOneMore(group: FailureGroupRecord, { id, endedAt = 0 }: JobRow): FailureGroupRecord {
  const { lastAt, newestJobId } = group;
  const isNewest = endedAt > lastAt || (endedAt === lastAt && id > newestJobId);
  return {
    ...group,
    count: group.count + 1,
    firstAt: Math.min(group.firstAt, endedAt),
    lastAt: Math.max(lastAt, endedAt),
    newestJobId: isNewest ? id : newestJobId,
  };
}

function largestFirst(one: FailureGroupRecord, other: FailureGroupRecord): number {
  return (
    other.count - one.count ||
    other.lastAt - one.lastAt ||
    compare(one.typeName, other.typeName) ||
    compare(one.kind, other.kind)
  );
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
