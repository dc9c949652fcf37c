import type { Schema } from "../schema.ts";
import { innerFunction } from "../sql-function.ts";
import { turns } from "./tables.ts";

/**
 * Puts jobs of the inbox, whose entries are at `p_at`, into their lanes, and opens these. Jobs whose lane another transaction has locked
 * stay where they are: a claim that waited here, with places locked, could deadlock. Returns whether some stay.
 *
 * Claims make lanes idle that they find empty, and they do not see these jobs before the commit. So the lane must be locked: a claim
 * locks it before it looks whether it is empty. A lane that needs no change gets a lock that many claims can have at once.
 */
export function openLanesFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "open_lanes_v1",
    parameters: "p_now double precision, p_jobs uuid[], p_at tid[]",
    returns: "boolean",
    declare: `  v_all_at tid[];
  v_all_job uuid[];
  v_all_lane uuid[];
  v_all_type text[];
  v_all_rank smallint[];
  v_all_position bigint[];
  v_all_weight smallint[];
  -- The number of the lane of each job.
  v_all_nth integer[];
  -- By lane, in the order of their first jobs.
  v_key uuid[];
  v_type text[];
  v_rank smallint[];
  v_weight smallint[];
  v_is_locked boolean[];
  v_turns bigint[];
  -- Numbers of lanes.
  v_ready integer[];
  v_changed integer[] := '{}';
  v_nth integer;`,
    body: `${readJobs(s)}
${findLanes}
${lockLanes(s)}
${moveJobs(s)}
${writeLanes(schema)}
  return cardinality(v_ready || v_changed) < cardinality(v_key);`,
  });
}

function readJobs(s: string): string {
  return `  select array_agg(o.at), array_agg(o.job_id), array_agg(o.lane), array_agg(o.type_name::text), array_agg(o.rank), array_agg(o.position),
    array_agg(o.weight), array_agg(o.nth)
  into v_all_at, v_all_job, v_all_lane, v_all_type, v_all_rank, v_all_position, v_all_weight, v_all_nth
  from (
    select o.*, dense_rank() over (order by o.first)::integer as nth
    from (
      select i.at, o.job_id, o.lane, o.type_name, o.rank, o.position, coalesce(o.lane_weight, 1::smallint) as weight,
        min(o.position) over (partition by o.lane, o.type_name) as first
      from unnest(p_jobs, p_at) as i(id, at) join ${s}.open_job o on o.job_id = any(array[i.id])) o) o;`;
}

const findLanes = `  select array_agg(l.lane order by l.nth), array_agg(l.type_name order by l.nth), array_agg(l.rank order by l.nth),
    array_agg(l.weight order by l.nth)
  into v_key, v_type, v_rank, v_weight
  from (
    select o.nth, (array_agg(o.lane))[1] as lane, min(o.type_name) as type_name, min(o.rank) as rank, max(o.weight) as weight
    from unnest(v_all_nth, v_all_lane, v_all_type, v_all_rank, v_all_weight) as o(nth, lane, type_name, rank, weight)
    group by o.nth) l;`;

/** Those that need no change, and then the others: idle lanes, and those that have no job of this rank or weight yet. */
function lockLanes(s: string): string {
  const given = `unnest(v_key, v_type, v_rank, v_weight) with ordinality as t(key, type_name, rank, weight, n)
    join ${s}.lane l on l.key = any(array[t.key]) and l.type_name = t.type_name`;
  return `  v_is_locked := array_fill(false, array[cardinality(v_key)]);
  v_ready := array(
    select t.n from ${given}
    where l.state > 0 and l.rank <= t.rank and l.weight = t.weight for key share of l skip locked);
  foreach v_nth in array v_ready loop
    v_is_locked[v_nth] := true;
  end loop;
  if cardinality(v_ready) < cardinality(v_key) then
    v_changed := array(
      select t.n from ${given}
      where not v_is_locked[t.n] for no key update of l skip locked);
    foreach v_nth in array v_changed loop
      v_is_locked[v_nth] := true;
    end loop;
  end if;`;
}

function moveJobs(s: string): string {
  return `  with moved as (
    delete from ${s}.parked p
    using (
      select o.*
      from unnest(v_all_at, v_all_job, v_all_lane, v_all_type, v_all_rank, v_all_position, v_all_nth) as o(at, job_id, lane, type_name, rank, position, nth)
      where v_is_locked[o.nth]) o
    where p.ctid = o.at and p.job_id = o.job_id
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
      turn = case l.state when 0 then v_turns[t.n] else l.turn end,
      credit = case l.state when 0 then 0 else l.credit end,
      idle_at = null
    from unnest(v_changed) as c(n), lateral (
      select c.n, v_key[c.n] as key, v_type[c.n] as type_name, v_rank[c.n] as rank, v_weight[c.n] as weight) t
    where l.key = any(array[t.key]) and l.type_name = t.type_name;
  end if;`;
}
