import type { JobStatus } from "chainwright";
import { splitClaimName, type CountQuery, type JobCount } from "chainwright/adapter";
import type { Store } from "../store.ts";
import type { EndedStatus } from "../tally.ts";

interface TypeCount {
  /** The claim name. */
  readonly type_name: string;
  readonly count: number;
  /** Of these; null: none. */
  readonly running: number | null;
  readonly scheduled: number | null;
  readonly waiting?: number;
  /** Since when the oldest of the others has been ready; null if there are none. */
  readonly oldest: number | null;
}

/**
 * Walks along indexes that are ordered by type: grouping a million jobs in another order costs three times as much as reading
 * them.
 */
export function createCount(store: Store): (query: CountQuery, now: number) => readonly JobCount[] {
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
  // Those in lanes, or before them, by the claim name of the lane.
  const limited = store.sql<TypeCount>(
    `select l.name as type_name, sum(o.count) as count, null as running, null as scheduled, min(o.oldest) as oldest from (
       select lane, count(*) as count, min(due_at) as oldest from ${t.openJob} indexed by ${t.openJob}_lane
         where state = 3 and lane <> 0 group by lane
       union all
       select lane, count(*), min(due_at) from ${t.openJob} indexed by ${t.openJob}_placed
         where placed is not null and state = 4 group by lane) o
     join ${t.lane} l on l.id = abs(o.lane) group by l.name`,
  );
  // Those that wait for signals. Where the wait has an end, `waiting` has counted them as scheduled.
  const signalled = store.sql<TypeCount>(
    `select type_name, sum(state = 5) as count, null as running, -sum(state = 1 and due_at > ?) as scheduled,
       sum(state = 5 or due_at > ?) as waiting, null as oldest
     from ${t.openJob} indexed by ${t.openJob}_waits where waits is not null group by type_name`,
  );
  const blocked = store.sql<{ type_name: string; count: number }>(
    `select type_name, count(*) as count from ${t.job} where status = 'blocked' group by type_name order by type_name`,
  );
  const ended = store.sql<{ type_name: string; status: EndedStatus; count: number }>(
    `select type_name, status, count from ${t.tally} where count > 0 order by type_name, status`,
  );
  const openOf = (isClaimable: boolean, now: number): OpenRows => ({
    open: [...(isClaimable ? claimable.all(now, now) : []), ...waiting.all(now, now), ...signalled.all(now, now)],
    limited: isClaimable ? limited.all() : [],
  });
  return ({ statuses, byVersion = false }, now) => {
    const hasSome = (among: readonly JobStatus[]) => statuses?.some((status) => among.includes(status)) ?? true;
    const counts = [
      ...(hasSome(hot) ? hotCounts(openOf(hasSome(["ready", "running"]), now), byVersion, now) : []),
      ...(hasSome(["blocked"]) ? blocked.all() : []).map(({ type_name: typeName, count }) =>
        notReady({ typeName }, "blocked", count),
      ),
      ...ended.all().map(({ type_name: typeName, status, count }) => notReady({ typeName }, status, count)),
    ];
    return statuses === undefined ? counts : counts.filter(({ status }) => statuses.includes(status));
  };
}

const hot: readonly JobStatus[] = ["ready", "running", "scheduled", "waiting"];

interface OpenRows {
  readonly open: readonly TypeCount[];
  readonly limited: readonly TypeCount[];
}

type Name = Pick<JobCount, "typeName" | "version" | "pool">;

/** A claim name has a row for each of its priorities, and one for the jobs that are not due. */
function hotCounts({ open, limited }: OpenRows, byVersion: boolean, now: number): readonly JobCount[] {
  const keyOf = ({ type_name: name }: TypeCount) => (byVersion ? name : splitClaimName(name).typeName);
  const limitedOf = Map.groupBy(limited, keyOf);
  const others = Map.groupBy(open, keyOf);
  const counts = Array.from(new Set([...others.keys(), ...limitedOf.keys()]), (key): readonly JobCount[] => {
    const ofType = others.get(key) ?? [];
    const name: Name = byVersion ? splitClaimName(key) : { typeName: key };
    const running = sumOf(ofType, (row) => row.running ?? 0);
    const scheduled = sumOf(ofType, (row) => row.scheduled ?? 0);
    const ready = sumOf(ofType, (row) => row.count) - running - scheduled - waitingOf(ofType);
    const since = Math.min(...ofType.map(({ oldest }) => oldest ?? Infinity));
    return [
      readyCount(name, { ready, since }, limitedOf.get(key) ?? [], now),
      notReady(name, "running", running),
      notReady(name, "scheduled", scheduled),
    ];
  });
  return [...counts.flat(), ...waitingCounts(open)].filter(({ count }) => count > 0);
}

function waitingCounts(open: readonly TypeCount[]): readonly JobCount[] {
  const byType = Map.groupBy(open, ({ type_name: name }) => splitClaimName(name).typeName);
  return Array.from(byType, ([typeName, ofType]) => notReady({ typeName }, "waiting", waitingOf(ofType)));
}

function waitingOf(rows: readonly TypeCount[]): number {
  return sumOf(rows, (row) => row.waiting ?? 0);
}

function readyCount(
  name: Name,
  { ready, since }: { readonly ready: number; readonly since: number },
  rows: readonly TypeCount[],
  now: number,
): JobCount {
  const oldestReadyMs = since === Infinity ? undefined : Math.max(0, now - since);
  const plain = { ...name, status: "ready", count: ready, oldestReadyMs } as const;
  const limited = sumOf(rows, (row) => row.count);
  if (limited === 0) return plain;
  const oldest = Math.min(...rows.map((row) => row.oldest ?? now));
  return { ...plain, count: ready + limited, limited, oldestLimitedMs: Math.max(0, now - oldest) };
}

function sumOf(rows: readonly TypeCount[], value: (row: TypeCount) => number): number {
  return rows.reduce((sum, row) => sum + value(row), 0);
}

function notReady(name: Name, status: JobStatus, count: number): JobCount {
  return { ...name, status, count, oldestReadyMs: undefined };
}
