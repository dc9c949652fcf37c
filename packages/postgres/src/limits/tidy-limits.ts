import { typeOf } from "../claim-names.ts";
import type { Schema } from "../schema.ts";
import { innerFunction } from "../sql-function.ts";
import { inboxLane } from "./tables.ts";
import { removeEmptyRules } from "./change-limits.ts";

/**
 * How long a lane is idle before it is removed, and how long a lease has run out, or a job that keeps its places has been due, before the
 * job gives its places back.
 */
const restMs = 60_000;

/**
 * A bounded pass of upkeep over limits. It waits for no lock. Returns how many rows it has removed or repaired.
 *
 * - Lanes that have been idle for a minute go, and so do the places and tokens of their gates where all are free.
 * - Jobs that hold places but have had no lease for a minute, or keep them for a retry that was due a minute ago, go back to their lanes
 *   if no live worker takes their type, so that a type that was removed does not keep a gate shut.
 * - Lanes that are idle although jobs wait in them are opened.
 */
export function tidyLimitsFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "tidy_limits_v1",
    parameters: "v_now double precision, p_limit integer",
    returns: "integer",
    declare: `  v_gates text[];
  v_lanes integer;
  v_held uuid[];
  v_jobs uuid[];
  v_from uuid := gen_random_uuid();
  v_repaired integer := 0;`,
    body: `${removeEmptyRules(s)}
${removeIdleLanes(s)}
${removeFreeGates(s)}
${readHolders(s)}
${returnJobsWithoutWorkers(s)}
${removeLostEntries(s)}
${openForgottenLanes(s)}
  return coalesce(v_lanes, 0) + v_repaired;`,
  });
}

/**
 * A bounded pass over jobs that hold places. Frees the places of those that are gone, or wait without keeping them: someone deleted or
 * changed their rows by hand. It waits for no lock. Returns how many jobs that were.
 */
export function repairPlacesFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "repair_places_v1",
    parameters: "p_limit integer",
    returns: "integer",
    declare: `  v_held uuid[];
  v_jobs uuid[];
  v_from uuid := gen_random_uuid();`,
    body: `${readHolders(s)}
  v_jobs := array(
    select h.job_id from unnest(v_held) as h(job_id)
    where not exists (
      select from ${s}.open_job o where o.job_id = any(array[h.job_id]) and (o.state = 0 or o.lane_holds))
      -- In the same snapshot: a job that has ended since the last statement has given its places back.
      and exists (select from ${s}.place p where p.job_id = any(array[h.job_id])));
  if v_jobs <> '{}' then
    perform ${s}.give_back_v1(v_jobs);
  end if;
  return cardinality(v_jobs);`,
  });
}

/**
 * A lane of which a job holds a place stays, because its gates are looked at when it goes, and so does one of a gate whose tokens rest. It
 * is looked at again in a minute, or when they have rested.
 */
function removeIdleLanes(s: string): string {
  return `  with idle as materialized (
    select l.ctid as at, l.key, l.gates from ${s}.lane l
    where l.state = 0 and l.idle_at <= v_now - ${restMs} order by l.idle_at limit p_limit for update skip locked),
  used as materialized (
    select distinct o.lane
    from ${s}.place p join ${s}.open_job o on o.job_id = any(array[p.job_id])
    where p.job_id is not null and o.lane is not null and exists (select from idle)),
  looked as materialized (
    select i.at, case when i.key in (select u.lane from used u) then v_now else (
      select max(t.free_at) - ${restMs}
      from unnest(i.gates) as g(gate), lateral (
        select t.free_at from ${s}.token t where t.gate = g.gate order by t.free_at desc limit 1) t
      where t.free_at > v_now) end as idle_at
    from idle i),
  gone as (
    delete from ${s}.lane l using looked k where l.ctid = k.at and k.idle_at is null
    returning l.gates),
  kept as (
    update ${s}.lane l set idle_at = k.idle_at from looked k where l.ctid = k.at and k.idle_at is not null)
  select count(*), array_agg(distinct u.gate) into v_lanes, v_gates
  from gone g left join lateral unnest(g.gates) as u(gate) on true;`;
}

/** Places and tokens are made again when a lane of the gate needs them. A token that rests stays, and with it the others. */
function removeFreeGates(s: string): string {
  const remove = (table: string, isFree: string) => `    with free as materialized (
      select p.ctid as at, p.gate from ${s}.${table} p where p.gate = any(v_gates) and ${isFree} for update skip locked),
    whole as (
      select f.gate from free f group by f.gate
      having count(*) = (select count(*) from ${s}.${table} h where h.gate = any(array[f.gate])))
    delete from ${s}.${table} p using free f where p.ctid = f.at and f.gate in (select w.gate from whole w);`;
  return `  if v_gates is not null then
${remove("place", "p.job_id is null")}
${remove("token", "p.free_at <= v_now")}
  end if;`;
}

/** Jobs that hold places. Begins at a random one, so that all are seen in time. */
function readHolders(s: string): string {
  return `  v_held := array(
    select distinct h.job_id from (
      (select p.job_id from ${s}.place p where p.job_id >= v_from order by p.job_id limit p_limit)
      union all
      (select p.job_id from ${s}.place p where p.job_id < v_from order by p.job_id limit p_limit)) h);`;
}

function returnJobsWithoutWorkers(s: string): string {
  const isLeft = `(o.state = 0 and o.leased_until <= v_now - ${restMs} or o.state in (1, 3) and o.lane_holds and o.due_at <= v_now - ${restMs})`;
  return `  v_jobs := array(
    select o.job_id
    from unnest(v_held) as h(job_id) join ${s}.open_job o on o.job_id = any(array[h.job_id])
    where ${isLeft} and not exists (
      select from ${s}.worker w
      where w.alive_until > v_now and ${typeOf("o.type_name")} in (select json_array_elements_text(w.type_names::json)))
    for update of o skip locked);
  if v_jobs <> '{}' then
    update ${s}.open_job o set state = 1, leased_by = null, leased_until = 0, started_at = null
    where o.job_id = any(v_jobs) and ${isLeft};
    delete from ${s}.kept k where k.job_id = any(v_jobs);
    perform ${s}.give_back_v1(v_jobs);
    v_repaired := v_repaired + cardinality(v_jobs);
  end if;`;
}

/** Of jobs that do not wait in their lane any more, or are gone. */
function removeLostEntries(s: string): string {
  const entries = (lanes: string) => `(
    select p.ctid as at, p.job_id, p.lane from ${s}.parked p where p.lane ${lanes}
    order by p.lane, p.type_name, p.rank, p.position limit p_limit for update skip locked)`;
  return `  with entries as materialized (
    select a.* from ${entries(`= ${inboxLane}`)} a union all select b.* from ${entries(">= v_from")} b)
  delete from ${s}.parked p using entries e
  where p.ctid = e.at and not exists (
    select from ${s}.open_job o where o.job_id = any(array[e.job_id]) and o.state = 3 and e.lane in (o.lane, ${inboxLane}));
  delete from ${s}.kept k
  where k.job_id = any(array(
    select h.job_id from ${s}.kept h
    where not exists (select from ${s}.open_job o where o.job_id = any(array[h.job_id]) and o.state = 3)
    order by h.job_id limit p_limit for update skip locked));`;
}

function openForgottenLanes(s: string): string {
  return `  with idle as (
    select l.ctid as at, l.key, l.type_name from ${s}.lane l
    where l.state = 0 order by l.idle_at limit p_limit for update skip locked)
  update ${s}.lane l set state = 1, idle_at = null
  from idle i
  where l.ctid = i.at and exists (
    select from ${s}.parked p where p.lane = any(array[i.key]) and p.type_name = any(array[i.type_name]));`;
}
