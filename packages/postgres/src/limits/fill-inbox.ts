import type { Schema } from "../schema.ts";
import { innerFunction } from "../sql-function.ts";
import { inboxLane } from "./tables.ts";

/** Jobs have become due. Those that have kept their places for a retry do not wait behind others. Returns the first position of the rest. */
export function fillInboxFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "fill_inbox_v1",
    parameters: "p_now double precision, p_jobs uuid[]",
    returns: "bigint",
    declare: `  v_holding uuid[];
  v_kept uuid[] := '{}';
  v_first bigint;`,
    body: `  v_holding := array(
    select o.job_id from unnest(p_jobs) as i(id) join ${s}.open_job o on o.job_id = any(array[i.id]) where o.state = 3 and o.lane_holds);
  if v_holding <> '{}' then
    v_kept := array(
      select i.id from unnest(v_holding) as i(id) where (select true from ${s}.place p where p.job_id = i.id and p.n > 0 limit 1));
  end if;
  if v_kept <> '{}' then
    insert into ${s}.kept (job_id, type_name, look_at)
    select o.job_id, o.type_name, p_now
    from unnest(v_kept) as i(id) join ${s}.open_job o on o.job_id = any(array[i.id]) order by o.job_id
    on conflict (job_id) do update set type_name = excluded.type_name, look_at = excluded.look_at;
  end if;
  with filled as (
    insert into ${s}.parked (lane, type_name, rank, position, job_id)
    select ${inboxLane}, o.type_name, o.rank, o.position, o.job_id
    from unnest(p_jobs) as i(id) join ${s}.open_job o on o.job_id = any(array[i.id])
    where o.state = 3 and o.job_id <> all(v_kept)
    on conflict do nothing
    returning position)
  select min(f.position) into v_first from filled f;
  return v_first;`,
  });
}
