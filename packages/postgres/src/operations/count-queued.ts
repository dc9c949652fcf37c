import { splitClaimName, type CallOptions, type QueuedCount } from "chainwright/adapter";
import { momentOf } from "../rows.ts";
import { momentParameter, type Store } from "../store.ts";

/** Counts the jobs that are ready, scheduled or running. It reads every open job, as `count` does. */
export async function countQueued<Tx>(
  { schema: { quoted: s }, run }: Store<Tx>,
  { tx, now }: CallOptions<Tx>,
): Promise<readonly QueuedCount[]> {
  const text = `with moment as materialized (select ${momentOf("$1")} as now)
select g.type_name, case when g.is_leased then 'running' when g.is_early then 'scheduled' else 'ready' end as status, g.jobs
from (
  select o.type_name, o.leased_until > (select now from moment) as is_leased,
    o.state = 1 and o.due_at > (select now from moment) as is_early, count(*) as jobs
  from ${s}.open_job o where o.state <> 2 and (o.waits is not true or o.due_at <= (select now from moment)) group by 1, 2, 3) g`;
  const rows = await run(tx, { text, parameters: [momentParameter(now)], prepare: true });
  return rows.map(([claimName, status, jobs]) => ({
    ...splitClaimName(String(claimName)),
    status: status as QueuedCount["status"],
    count: Number(jobs),
  }));
}
