import { claimNameOf } from "../claim-names.ts";
import type { CallOptions } from "chainwright/adapter";
import { inboxLane } from "../limits/tables.ts";
import { momentOf } from "../rows.ts";
import { momentParameter, type Store } from "../store.ts";

/**
 * How many ready jobs of its type the claim would take before this one, counted up to `limit`. Of a job under limits: how many jobs
 * are before it in its lane.
 */
export async function countAhead<Tx>(
  { schema: { quoted: s }, run }: Store<Tx>,
  { jobId, limit }: { readonly jobId: string; readonly limit: number },
  { tx, now }: CallOptions<Tx>,
): Promise<number> {
  // By priority, like the claim, so that jobs of other types are not read.
  const text = `with recursive
me as (
  select ~j.priority as rank, ${claimNameOf("j")} as type_name, j.position, ${momentOf("$1")} as now, $3::text::bigint as most, o.lane
  from ${s}.job j left join ${s}.open_job o on o.job_id = any(array[j.id]) and o.state in (1, 3) where j.id = $2::text::uuid),
ranks(rank) as (
  (select o.rank from ${s}.open_job o where o.state = 0 order by o.rank limit 1)
  union all
  select (select o.rank from ${s}.open_job o where o.state = 0 and o.rank > r.rank order by o.rank limit 1)
  from ranks r, me where r.rank < me.rank)
select case when (select lane from me) is not null then least((select most from me), ${aheadInLane(s)}) else least((select most from me),
  (select count(*) from (
    select from me, ranks r, lateral (
      select from ${s}.open_job o
      where o.state = 0 and o.rank = r.rank and o.type_name = me.type_name and o.leased_until <= me.now
        and (o.rank < me.rank or o.position < me.position)
      limit (select most from me)) o
    where r.rank <= me.rank limit (select most from me)) ready)
  + (select count(*) from (
    select from me, lateral (
      select from ${s}.open_job o
      where o.state = 1 and o.lane is null and o.type_name = me.type_name and o.due_at <= me.now
        and (o.rank < me.rank or o.rank = me.rank and o.position < me.position)
      limit (select most from me)) o) due)) end`;
  const rows = await run(tx, { text, parameters: [momentParameter(now), jobId, String(limit)], prepare: true });
  return Number(rows[0]?.[0] ?? 0);
}

function aheadInLane(s: string): string {
  return `
  (select count(*) from (
    select from me, ${s}.parked o
    where o.lane = me.lane and o.type_name = me.type_name
      and (o.rank < me.rank or o.rank = me.rank and o.position < me.position)
    limit (select most from me)) parked)
  + (select count(*) from (
    select from me, ${s}.parked p join ${s}.open_job o on o.job_id = any(array[p.job_id])
    where p.lane = ${inboxLane} and p.type_name = me.type_name and o.state = 3 and o.lane = me.lane
      and (p.rank < me.rank or p.rank = me.rank and p.position < me.position)
    limit (select most from me)) inbox)
  + (select count(*) from (
    select from me, lateral (
      select from ${s}.open_job o
      where o.state = 1 and o.lane = me.lane and o.type_name = me.type_name and o.due_at <= me.now
        and (o.rank < me.rank or o.rank = me.rank and o.position < me.position)
      limit (select most from me)) o) due)`;
}
