import type { JobStatus } from "chainwright";
import { splitClaimName, type CallOptions, type CountQuery, type JobCount } from "chainwright/adapter";
import { typeOf } from "../claim-names.ts";
import { momentOf, wholeMs } from "../rows.ts";
import { momentParameter, type Store } from "../store.ts";

const ended: readonly JobStatus[] = ["completed", "failed", "cancelled"];
/** Of these, all rows have one state, which an index has. */
const early: readonly JobStatus[] = ["scheduled"];

/**
 * Counts jobs by type and status: open jobs from their rows, ended ones from the tally.
 *
 * No index contains leases, so every open job is read, unless only others are asked for. The inner query groups by two values that are
 * cheap to compare: what it costs is the rows' columns. The moment comes from a subquery and not from a join, so that Postgres can read in
 * parallel.
 */
export async function count<Tx>(
  { schema: { quoted: s }, run }: Store<Tx>,
  { tx, now, statuses, byVersion = false }: CallOptions<Tx> & CountQuery,
): Promise<readonly JobCount[]> {
  const areAll = (among: readonly JobStatus[]) => statuses?.every((status) => among.includes(status)) === true;
  const open = openCounts(s, { byVersion, where: areAll(early) ? "where o.state = 1" : "" });
  const text = areAll(ended) ? endedCounts(s) : areAll(early) ? open : `${open} union all ${endedCounts(s)}`;
  const parameters = areAll(ended) ? [] : [momentParameter(now)];
  const rows = await run(tx, { text, parameters, prepare: true });
  const counts = rows.map(([name, status, jobs, oldest, limited, oldestLimited]) => ({
    ...nameOf(String(name), status as JobStatus, byVersion),
    status: status as JobStatus,
    count: Number(jobs),
    oldestReadyMs: oldest === null ? undefined : Math.max(0, Number(oldest)),
    ...(Number(limited) > 0 && { limited: Number(limited), oldestLimitedMs: Math.max(0, Number(oldestLimited)) }),
  }));
  return statuses === undefined ? counts : counts.filter(({ status }) => statuses.includes(status));
}

const endedCounts = (s: string) =>
  `select t.type_name, case t.status when 1 then 'completed' when 2 then 'failed' else 'cancelled' end, t.count::bigint, null::bigint, 0::bigint, null::bigint
from ${s}.tallied_v1() t`;

/** The numbers of `kind`: 0 ready, 1 running, 2 scheduled, 3 blocked, 4 waiting, 5 ready, and waits for a place of a limit. */
function openCounts(s: string, { byVersion, where }: { readonly byVersion: boolean; readonly where: string }): string {
  const name = byVersion
    ? `case when g.kind in (3, 4) then ${typeOf("g.type_name")} else g.type_name end`
    : typeOf("g.type_name");
  const isEarly = "o.state = 1 and o.due_at > (select now from moment)";
  const isLeased = "o.leased_until > (select now from moment)";
  return `with moment as materialized (select ${momentOf("$1")} as now)
select o.name, o.status, sum(o.jobs)::bigint,
  ${wholeMs("case o.status when 'ready' then max(moment.now - o.since) filter (where o.kind = 0) end")} as oldest,
  coalesce(sum(o.jobs) filter (where o.kind = 5), 0)::bigint as limited,
  ${wholeMs("max(moment.now - o.since) filter (where o.kind = 5)")} as oldest_limited
from (
  select ${name} as name, g.kind, g.jobs, g.since,
    case g.kind when 1 then 'running' when 2 then 'scheduled' when 3 then 'blocked' when 4 then 'waiting' else 'ready' end as status
  from (
    select o.type_name, case when o.state = 0 then case when ${isLeased} then 1 else 0 end
      when o.waits and (o.state = 2 or ${isEarly}) then 4 when o.state = 2 then 3 when ${isLeased} then 1 when ${isEarly} then 2
      when o.lane is null then 0 else 5 end as kind, count(*) as jobs, min(greatest(o.due_at, o.leased_until)) as since
    from ${s}.open_job o ${where} group by 1, 2) g) o
cross join moment
group by o.name, o.status`;
}

/** With `byVersion`, jobs that are ready, scheduled or running have the names under which they are claimed. */
function nameOf(name: string, status: JobStatus, byVersion: boolean): Pick<JobCount, "typeName" | "version" | "pool"> {
  return byVersion && isQueued(status) ? splitClaimName(name) : { typeName: name };
}

function isQueued(status: JobStatus): boolean {
  return status === "ready" || status === "scheduled" || status === "running";
}
