import { tickKeptMs } from "chainwright/adapter";
import type { Schema } from "../schema.ts";
import { innerFunction } from "../sql-function.ts";
import { chorePass, passColumns, passVariables } from "./chore.ts";

/**
 * Forgets old ticks, and notes with their schedules between which instants, so that none of those is filled again. Ticks of a schedule
 * that is locked are left for another pass.
 */
export function forgetTicksFunction(schema: Schema): string {
  const { quoted: s } = schema;
  const { begin, finish } = chorePass(schema, "'ticks'", "moments");
  return innerFunction(schema, {
    name: "forget_ticks_v1",
    parameters: "v_now double precision, p_limit integer",
    returns: `table(${passColumns})`,
    declare: `${passVariables}
  v_schedules text[];
  v_ats double precision[];
  v_locked text[];
  v_busy text[];
  v_reached double precision;`,
    body: `${begin}
  select array_agg(t.schedule_id), array_agg(t.at), max(t.made_at) into v_schedules, v_ats, v_reached
  from (
    select t.schedule_id, t.at, t.made_at from ${s}.tick t
    where t.made_at >= v_from and t.made_at <= v_now - ${tickKeptMs}
    order by t.made_at limit p_limit) t;
  if v_schedules is not null then
    v_locked := array(
      select s.id from ${s}.schedule s where s.id = any(v_schedules) order by s.id for update skip locked);
    v_busy := array(select s.id from ${s}.schedule s where s.id = any(v_schedules) and s.id <> all(v_locked));
    with gone as (
      delete from ${s}.tick t using unnest(v_schedules, v_ats) as o(schedule_id, at)
      where t.schedule_id = any(array[o.schedule_id]) and t.at = any(array[o.at]) and o.schedule_id <> all(v_busy)
      returning t.schedule_id, t.at)
    update ${s}.schedule s
    set forgotten_from = least(s.forgotten_from, g.first), forgotten_until = greatest(s.forgotten_until, g.last)
    from (select g.schedule_id, min(g.at) as first, max(g.at) as last from gone g group by g.schedule_id) g
    where s.id = any(array[g.schedule_id]);
  end if;
${finish("coalesce(v_reached, v_from)")}
  return query select 0, (coalesce(cardinality(v_ats), 0) >= p_limit)::integer;`,
  });
}
