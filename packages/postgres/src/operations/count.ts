import type { CallOptions, JobCount, JobStatus } from "chainwright";
import { momentOf, openStatus } from "../rows.ts";
import { momentParameter } from "../store.ts";
import type { Store } from "../store.ts";

/** Counts by type and status: open jobs as they stand, ended ones from the tally. */
export async function count<Tx>(
  { schema: { quoted: s }, run }: Store<Tx>,
  { tx, now }: CallOptions<Tx>,
): Promise<readonly JobCount[]> {
  const text = `select o.type_name, o.status, count(*), case o.status when 'ready' then max(o.now - o.since) end
from (
  select o.type_name, ${openStatus("moment.now")} as status, moment.now, greatest(o.due_at, o.leased_until) as since
  from (select ${momentOf("$1")} as now) moment cross join ${s}.open_job o) o
group by o.type_name, o.status
union all
select t.type_name, case t.status when 1 then 'completed' when 2 then 'failed' else 'cancelled' end, sum(t.count)::bigint, null
from ${s}.tally t group by t.type_name, t.status having sum(t.count) <> 0`;
  const rows = await run(tx, () => ({ text, parameters: [momentParameter(now)], prepare: true }));
  return rows.map(([typeName, status, jobs, oldest]) => ({
    typeName: String(typeName),
    status: status as JobStatus,
    count: Number(jobs),
    oldestReadyMs: oldest === null ? undefined : Math.max(0, Number(oldest)),
  }));
}
