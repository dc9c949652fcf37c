import { typeOf } from "../claim-names.ts";
import type { JobStatus } from "chainwright";
import type { CallOptions, JobCount } from "chainwright/adapter";
import { momentOf, wholeMs } from "../rows.ts";
import { momentParameter, type Store } from "../store.ts";

/**
 * Counts jobs by type and status: open jobs from their rows, ended ones from the tally.
 *
 * No index contains leases, so every open job is read. The inner query groups by values that are cheap to compare. The moment comes
 * from a subquery and not from a join, so that Postgres can read in parallel.
 */
export async function count<Tx>(
  { schema: { quoted: s }, run }: Store<Tx>,
  { tx, now }: CallOptions<Tx>,
): Promise<readonly JobCount[]> {
  const text = `with moment as materialized (select ${momentOf("$1")} as now)
select o.type_name, o.status, sum(o.jobs)::bigint,
  ${wholeMs("case o.status when 'ready' then max(moment.now - o.since) filter (where not o.is_limited) end")} as oldest,
  coalesce(sum(o.jobs) filter (where o.is_limited), 0)::bigint as limited,
  ${wholeMs("max(moment.now - o.since) filter (where o.is_limited)")} as oldest_limited
from (
  select ${typeOf("g.type_name")} as type_name, g.jobs, g.since, g.is_limited and g.state <> 2 and not g.is_leased and not g.is_early as is_limited,
    case when g.is_waiting then 'waiting' when g.state = 2 then 'blocked' when g.is_leased then 'running' when g.is_early then 'scheduled' else 'ready' end as status
  from (
    select o.type_name, o.state, o.leased_until > (select now from moment) as is_leased,
      o.state = 1 and o.due_at > (select now from moment) as is_early,
      o.state <> 0 and o.lane is not null as is_limited,
      o.waits and (o.state = 2 or o.state = 1 and o.due_at > (select now from moment)) as is_waiting, count(*) as jobs, min(greatest(o.due_at, o.leased_until)) as since
    from ${s}.open_job o group by 1, 2, 3, 4, 5, 6) g) o
cross join moment
group by o.type_name, o.status
union all
select t.type_name, case t.status when 1 then 'completed' when 2 then 'failed' else 'cancelled' end, t.count::bigint, null, 0, null
from ${s}.tallied_v1() t`;
  const rows = await run(tx, { text, parameters: [momentParameter(now)], prepare: true });
  return rows.map(([typeName, status, jobs, oldest, limited, oldestLimited]) => ({
    typeName: String(typeName),
    status: status as JobStatus,
    count: Number(jobs),
    oldestReadyMs: oldest === null ? undefined : Math.max(0, Number(oldest)),
    ...(Number(limited) > 0 && { limited: Number(limited), oldestLimitedMs: Math.max(0, Number(oldestLimited)) }),
  }));
}
