import type { Schema } from "../schema.ts";
import { innerFunction } from "../sql-function.ts";
import { gatesOf } from "./rules-of-gates.ts";
import { turns } from "./tables.ts";

/**
 * Opens the lanes into which a claim has just put jobs. Jobs that have kept their places for a retry do not wait behind others.
 *
 * Claims make lanes idle that they find empty, and they do not see these jobs before the commit. So the lane must be locked: a claim
 * locks it before it looks whether it is empty. A lane that needs no change gets a lock that many claims can have at once, because
 * otherwise all claims that put jobs into one lane would wait for each other's commits.
 */
export function openLanesFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "open_lanes_v1",
    parameters: "p_now double precision, p_jobs uuid[]",
    returns: "void",
    declare: `  v_all_job uuid[];
  v_all_lane uuid[];
  v_all_type text[];
  v_all_rank smallint[];
  v_all_position bigint[];
  v_all_weight smallint[];
  v_holding uuid[];
  v_key uuid[];
  v_type text[];
  v_rank smallint[];
  v_weight smallint[];
  v_job uuid[];
  v_nth integer[];
  v_turns bigint[];
  v_ready bigint[];
  v_kept uuid[] := '{}';`,
    body: `${readJobs(s)}
${keepApart(s)}
${findLanes}
${parkJobs(s)}
${writeLanes(schema)}`,
  });
}

function readJobs(s: string): string {
  return `  select array_agg(o.job_id), array_agg(o.lane), array_agg(o.type_name::text), array_agg(o.rank), array_agg(o.position),
    array_agg(coalesce(o.lane_weight, 1::smallint)), array_agg(o.job_id) filter (where o.lane_holds)
  into v_all_job, v_all_lane, v_all_type, v_all_rank, v_all_position, v_all_weight, v_holding
  from unnest(p_jobs) as i(id) join ${s}.open_job o on o.job_id = any(array[i.id])
  where o.state = 3;`;
}

/** Notes the jobs that have kept their places. */
function keepApart(s: string): string {
  return `  if v_holding is not null then
    v_kept := array(
      select i.id from unnest(v_holding) as i(id) where exists (select from ${s}.place p where p.job_id = any(array[i.id])));
    insert into ${s}.kept (job_id, type_name, look_at)
    select o.job_id, o.type_name, p_now from unnest(v_all_job, v_all_type) as o(job_id, type_name)
    where o.job_id = any(v_kept) order by o.job_id
    on conflict (job_id) do update set type_name = excluded.type_name, look_at = excluded.look_at;
  end if;`;
}

const findLanes = `  select array_agg(l.lane), array_agg(l.type_name), array_agg(l.rank), array_agg(l.weight), array_agg(l.job_id),
    array_agg(l.nth)
  into v_key, v_type, v_rank, v_weight, v_job, v_nth
  from (
    select o.lane, o.type_name, min(o.rank) as rank, max(o.weight) as weight, (array_agg(o.job_id))[1] as job_id,
      row_number() over (order by min(o.position)) as nth
    from unnest(v_all_job, v_all_lane, v_all_type, v_all_rank, v_all_position, v_all_weight)
      as o(job_id, lane, type_name, rank, position, weight)
    where o.job_id <> all(v_kept)
    group by o.lane, o.type_name order by o.lane, o.type_name collate "C") l;`;

/** Locks the lanes that need no change, and puts the jobs into their lanes. */
function parkJobs(s: string): string {
  return `  v_ready := array(
    select t.n
    from unnest(v_key, v_type, v_rank, v_weight) with ordinality as t(key, type_name, rank, weight, n)
    join ${s}.lane l on l.key = any(array[t.key]) and l.type_name = t.type_name
    where l.state > 0 and l.rank <= t.rank and l.weight = t.weight
    order by t.n for key share of l skip locked);
  insert into ${s}.parked (lane, type_name, rank, position, job_id)
  select o.lane, o.type_name, o.rank, o.position, o.job_id
  from unnest(v_all_job, v_all_lane, v_all_type, v_all_rank, v_all_position) as o(job_id, lane, type_name, rank, position)
  where o.job_id <> all(v_kept)
  order by o.lane, o.type_name collate "C", o.rank, o.position
  on conflict do nothing;`;
}

/** Opens idle lanes, and those that have no job of this rank or weight yet. */
function writeLanes(schema: Schema): string {
  const { quoted: s } = schema;
  return `  if cardinality(v_ready) < cardinality(v_key) then
    -- The lanes are written in the order of their keys, and their turns come in the order of their jobs.
    v_turns := array(select nextval(${turns(schema)}) from generate_series(1, cardinality(v_key)));
    insert into ${s}.lane (key, type_name, gates, state, weight, rank, turn)
    select t.key, t.type_name,
      ${gatesOf("j.limits")},
      1, t.weight, t.rank, v_turns[t.nth]
    from unnest(v_key, v_type, v_rank, v_weight, v_job, v_nth) with ordinality as t(key, type_name, rank, weight, job_id, nth, n)
    join ${s}.job j on j.id = any(array[t.job_id])
    where t.n <> all(v_ready)
    order by t.n
    on conflict (key, type_name) do update set
      state = greatest(lane.state, 1),
      rank = case lane.state when 0 then excluded.rank else least(lane.rank, excluded.rank) end,
      weight = excluded.weight,
      turn = case lane.state when 0 then excluded.turn else lane.turn end,
      credit = case lane.state when 0 then 0 else lane.credit end,
      idle_at = null;
  end if;`;
}
