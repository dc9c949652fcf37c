import type { Schema } from "../schema.ts";
import { innerFunction } from "../sql-function.ts";
import { inboxLane, turns } from "./tables.ts";

/**
 * Puts jobs of the inbox into their lanes, and opens these. Jobs whose lane another transaction has locked stay where they are: a claim
 * that waited here, with places locked, could deadlock. Returns whether some stay.
 *
 * Claims make lanes idle that they find empty, and they do not see these jobs before the commit. So the lane must be locked: a claim
 * locks it before it looks whether it is empty. A lane that needs no change gets a lock that many claims can have at once.
 */
export function openLanesFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "open_lanes_v1",
    parameters: "p_now double precision, p_jobs uuid[]",
    returns: "boolean",
    declare: `  v_all_job uuid[];
  v_all_lane uuid[];
  v_all_type text[];
  v_all_rank smallint[];
  v_all_position bigint[];
  v_all_weight smallint[];
  v_key uuid[];
  v_type text[];
  v_rank smallint[];
  v_weight smallint[];
  v_first bigint[];
  v_turns bigint[];
  v_ready integer[];
  v_changed integer[] := '{}';`,
    body: `${readJobs(s)}
${findLanes}
${lockLanes(s)}
${moveJobs(s)}
${writeLanes(schema)}
  return cardinality(v_ready || v_changed) < cardinality(v_key);`,
  });
}

function readJobs(s: string): string {
  return `  select array_agg(o.job_id), array_agg(o.lane), array_agg(o.type_name::text), array_agg(o.rank), array_agg(o.position),
    array_agg(coalesce(o.lane_weight, 1::smallint))
  into v_all_job, v_all_lane, v_all_type, v_all_rank, v_all_position, v_all_weight
  from unnest(p_jobs) as i(id) join ${s}.open_job o on o.job_id = any(array[i.id]);`;
}

const findLanes = `  select array_agg(l.lane), array_agg(l.type_name), array_agg(l.rank), array_agg(l.weight), array_agg(l.nth)
  into v_key, v_type, v_rank, v_weight, v_first
  from (
    select o.lane, o.type_name, min(o.rank) as rank, max(o.weight) as weight, row_number() over (order by min(o.position)) as nth
    from unnest(v_all_lane, v_all_type, v_all_rank, v_all_position, v_all_weight) as o(lane, type_name, rank, position, weight)
    group by o.lane, o.type_name) l;`;

/** Those that need no change, and then the others: idle lanes, and those that have no job of this rank or weight yet. */
function lockLanes(s: string): string {
  const given = `unnest(v_key, v_type, v_rank, v_weight) with ordinality as t(key, type_name, rank, weight, n)
    join ${s}.lane l on l.key = any(array[t.key]) and l.type_name = t.type_name`;
  return `  v_ready := array(
    select t.n from ${given}
    where l.state > 0 and l.rank <= t.rank and l.weight = t.weight for key share of l skip locked);
  if cardinality(v_ready) < cardinality(v_key) then
    v_changed := array(
      select t.n from ${given}
      where t.n <> all(v_ready) for no key update of l skip locked);
  end if;`;
}

function moveJobs(s: string): string {
  return `  with moved as (
    delete from ${s}.parked p
    using (
      select o.* from unnest(v_all_job, v_all_lane, v_all_type, v_all_rank, v_all_position) as o(job_id, lane, type_name, rank, position)
      where exists (
        select from unnest(v_key, v_type) with ordinality as t(key, type_name, n)
        where t.key = o.lane and t.type_name = o.type_name and (t.n = any(v_ready) or t.n = any(v_changed)))) o
    where p.lane = ${inboxLane} and p.type_name = any(array[o.type_name]) and p.rank = any(array[o.rank]) and p.position = any(array[o.position])
    returning o.job_id, o.lane, o.type_name, o.rank, o.position)
  insert into ${s}.parked (lane, type_name, rank, position, job_id)
  select m.lane, m.type_name, m.rank, m.position, m.job_id from moved m
  order by m.lane, m.type_name collate "C", m.rank, m.position
  on conflict do nothing;`;
}

/** Their turns come in the order of their jobs. */
function writeLanes(schema: Schema): string {
  const { quoted: s } = schema;
  return `  if v_changed <> '{}' then
    v_turns := array(select nextval(${turns(schema)}) from generate_series(1, cardinality(v_key)));
    update ${s}.lane l set
      state = greatest(l.state, 1),
      rank = case l.state when 0 then t.rank else least(l.rank, t.rank) end,
      weight = t.weight,
      turn = case l.state when 0 then v_turns[t.nth] else l.turn end,
      credit = case l.state when 0 then 0 else l.credit end,
      idle_at = null
    from unnest(v_key, v_type, v_rank, v_weight, v_first) with ordinality as t(key, type_name, rank, weight, nth, n)
    where t.n = any(v_changed) and l.key = any(array[t.key]) and l.type_name = t.type_name;
  end if;`;
}
