import { resultColumns, resultRow } from "../result-rows.ts";
import type { Schema } from "../schema.ts";
import { guard, now, outerFunction } from "../sql-function.ts";
import { ownPosition } from "./tables.ts";

/** Records what undoes the steps of running attempts, where their fences hold. */
export function compensateFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "compensate_v1",
    parameters: "p_alone text, p_now text, p_items text",
    returns: `table(${resultColumns})`,
    declare: `  v_now double precision := ${now};
  v_n integer[];`,
    body: `${guard}
  with items as materialized (
    select * from json_to_recordset(p_items::json) as i(n integer, id uuid, worker text, fence integer, body text)),
  held as materialized (
    select i.n, i.body, o.job_id, o.chain_id, o.step, o.on_end
    from (select * from items order by id, n) i join ${s}.open_job o on o.job_id = any(array[i.id])
    where o.leased_by = i.worker and o.fence = i.fence
    for update of o),
  marked as (
    update ${s}.open_job o set on_end = true from held h where o.job_id = any(array[h.job_id]) and h.on_end is null),
  written as (
    insert into ${s}.compensation (chain_id, step, position, body)
    select h.chain_id, h.step, ${ownPosition}, h.body from (select distinct on (h.job_id) h.* from held h order by h.job_id, h.n desc) h
    on conflict (chain_id, step, position) do update set body = excluded.body)
  select array_agg(h.n) into v_n from held h;
  return query
  select ${resultRow("recorded", { n: "i.n" })} from unnest(v_n) as i(n)
  union all
  select ${resultRow("lost", { n: "i.n", reason: `${s}.lost_reason_v1(i.id)` })}
  from json_to_recordset(p_items::json) as i(n integer, id uuid) where i.n <> all(coalesce(v_n, '{}'));`,
  });
}
