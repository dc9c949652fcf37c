import type { JobStatus } from "chainwright";
import { splitClaimName, type JobCount } from "chainwright/adapter";
import type { Store } from "../store.ts";
import type { EndedStatus } from "../tally.ts";

interface TypeCount {
  /** The claim name. */
  readonly type_name: string;
  readonly count: number;
  /** Of these; null: none. */
  readonly running: number | null;
  readonly scheduled: number | null;
  /** Since when the oldest of the others has been ready; null if there are none. */
  readonly oldest: number | null;
}

/**
 * Walks along indexes that are ordered by type: grouping a million jobs in another order costs three times as much as reading
 * them.
 */
export function createCount(store: Store): (now: number) => readonly JobCount[] {
  const { tables: t } = store;
  const claimable = store.sql<TypeCount>(
    `select type_name, count(*) as count, sum(leased_until > ?) as running, null as scheduled,
       min(case when leased_until > ? then null else coalesce(leased_until, due_at) end) as oldest
     from ${t.openJob} indexed by ${t.openJob}_claim where state = 0 group by priority, type_name`,
  );
  const waiting = store.sql<TypeCount>(
    `select type_name, count(*) as count, null as running, sum(due_at > ?) as scheduled,
       min(case when due_at > ? then null else due_at end) as oldest
     from ${t.openJob} indexed by ${t.openJob}_due_type where state = 1 group by type_name`,
  );
  const blocked = store.sql<{ type_name: string; count: number }>(
    `select type_name, count(*) as count from ${t.job} where status = 'blocked' group by type_name order by type_name`,
  );
  const ended = store.sql<{ type_name: string; status: EndedStatus; count: number }>(
    `select type_name, status, count from ${t.tally} where count > 0 order by type_name, status`,
  );
  return (now) => [
    ...hotCounts([...claimable.all(now, now), ...waiting.all(now, now)], now),
    ...blocked.all().map(({ type_name: typeName, count }) => notReady(typeName, "blocked", count)),
    ...ended.all().map(({ type_name: typeName, status, count }) => notReady(typeName, status, count)),
  ];
}

/** A claim name has a row for each of its priorities, and one for the jobs that are not due. */
function hotCounts(rows: readonly TypeCount[], now: number): readonly JobCount[] {
  return Array.from(
    Map.groupBy(rows, (row) => splitClaimName(row.type_name).typeName),
    ([typeName, ofType]) => {
      const running = sumOf(ofType, (row) => row.running ?? 0);
      const scheduled = sumOf(ofType, (row) => row.scheduled ?? 0);
      const ready = sumOf(ofType, (row) => row.count) - running - scheduled;
      const since = Math.min(...ofType.map(({ oldest }) => oldest ?? Infinity));
      const counts = [
        { typeName, status: "ready" as const, count: ready, oldestReadyMs: Math.max(0, now - since) },
        notReady(typeName, "running", running),
        notReady(typeName, "scheduled", scheduled),
      ];
      return counts.filter(({ count }) => count > 0);
    },
  ).flat();
}

function sumOf(rows: readonly TypeCount[], value: (row: TypeCount) => number): number {
  return rows.reduce((sum, row) => sum + value(row), 0);
}

function notReady(typeName: string, status: JobStatus, count: number): JobCount {
  return { typeName, status, count, oldestReadyMs: undefined };
}
