import { notedJobs } from "../notes/claimed-notes.ts";
import { typeOf } from "../claim-names.ts";
import { lateMs } from "../settled.ts";
import { fillInbox, type LaneParts } from "../limits/claim-lanes.ts";
import { hasSkippedMany } from "./claim-places.ts";

/*
 * The jobs of a claim that become ready at positions that claims may have passed, see `claimAnyFunction`.
 */

/** How many due jobs a claim that begins at no known places makes ready at once, at least. */
export const dueAtOnce = 500;

/** Variables of `claim_any_v1` about due jobs and about those that have returned. */
export const dueVariables = `  v_due_from double precision := coalesce((v_start_at->>'due')::double precision, '-Infinity');
  v_release_from bigint := coalesce(v_start_at->>'released', '0')::bigint;
  v_inbox_from bigint := coalesce(v_start_at->>'inbox', '0')::bigint;
  v_due_left integer;
  v_due_until double precision := v_now - ${lateMs};
  v_waited uuid[];
  v_is_paused boolean;
  v_paused text[];
  v_pause_ends double precision;
  v_returned uuid[];
  v_returned_ranks integer[];`;

/**
 * The table of pauses is nearly always empty: then it has no page, and to read it costs a microsecond. It has to be read here, because
 * a worker may not have heard of a pause that was committed before its claim. The condition is always true. It keeps the planner from
 * the index, which has a page even if the table is empty.
 */
export function lookForDueJobsAndReleases(s: string): string {
  return `  -- The first entry of an index shows whether a job is due, another one whether ended chains have jobs to release.
  -- The order keeps the planner from the index by types, which it would read completely.
  select (
      select true from ${s}.open_job o where o.state = 1 and o.due_at <= v_now and o.due_at >= v_due_from order by o.due_at limit 1) is not null,
    exists (select from ${s}.release r where r.position >= v_release_from),
    exists (select from ${s}.pause p where p.at is not null)
  into v_is_due, v_is_releasing, v_is_paused;
  if v_is_paused then
    v_paused := array(
      select t.name from unnest(v_types) as t(name) where ${typeOf("t.name")} = any(array(
        select p.type_name from ${s}.pause p where p.until is null or p.until > v_now)));
    v_pause_ends := (
      select min(p.until) from ${s}.pause p
      where p.until > v_now and p.type_name = any(array(select ${typeOf("t.name")} from unnest(v_paused) as t(name))));
    -- The types that are left keep their places, which those of other parameters correspond to. Null equals no type.
    v_types := array(
      select case when t.name <> all(v_paused) then t.name end from unnest(v_types) with ordinality as t(name, n) order by t.n);
  end if;`;
}

/**
 * Makes due jobs ready at their old positions. A claim that begins at known places would not find them, so it makes only jobs of its
 * own types ready, no more than it takes, and claims them by their ids. Jobs under limits go into the inbox, more of them than it
 * takes, so that keys take turns. The wait of a job whose time is over ends here, or has ended by a signal.
 */
export function makeDueJobsReady(s: string, lanes: LaneParts): string {
  return `  if v_start_at is not null then
    v_returned := array(select r.id::uuid from jsonb_array_elements_text(v_start_at->'returned') as r(id));
  end if;
  if v_is_due then
    v_due_left := case when v_start_at is null then greatest(v_left, ${dueAtOnce}) else v_left end;
    with ready as (
      update ${s}.open_job o set
        state = case when o.lane is null then 0 else 3 end, waits = case when o.waits is not null then false end
      from (
        select o.ctid from ${s}.open_job o
        where o.state = 1 and o.due_at <= v_now and o.due_at >= v_due_from and (v_start_at is null or o.type_name = any(v_types))
        order by o.due_at limit v_due_left for update skip locked) d
      where o.ctid = d.ctid
      returning o.job_id, o.due_at, o.type_name, o.state, o.waits)
    select array_agg(r.job_id) filter (where r.type_name = any(v_types) and r.state = 0) || v_returned,
      least(v_due_until, case when count(*) = v_due_left then max(r.due_at) end),
      array_agg(r.job_id) filter (where r.state = 3), array_agg(r.job_id) filter (where r.waits is not null)
    into v_returned, v_due_until, v_filled, v_waited
    from ready r;
    if v_filled is not null and v_start_at is not null then
${fillMore(s)}
    end if;
    if v_waited is not null then
      delete from ${s}.topic t where t.job_id = any(v_waited);
    end if;
${fillInbox(s, lanes)}
  end if;
  if v_start_at is not null and v_returned <> '{}' then
    v_returned_ranks := array(
      select o.rank::integer from unnest(v_returned) as r(id) join ${s}.open_job o on o.job_id = any(array[r.id])
      where o.state <= 0 and o.leased_until <= v_now and o.type_name = any(v_types));
  end if;`;
}

/** The conditions on the state keep the planner from the indexes of ready and of due jobs, which it would read completely. */
function fillMore(s: string): string {
  return `      with filled as (
        update ${s}.open_job o set state = 3, waits = case when o.waits is not null then false end
        from (
          select o.ctid as at
          from (
            select o.ctid as at, o.lane from ${s}.open_job o
            where o.state = 1 and o.due_at <= v_now and o.due_at >= v_due_from
            order by o.due_at limit ${dueAtOnce}) d
          join ${s}.open_job o on o.ctid = d.at
          where d.lane is not null and o.state > 0 and o.state < 2
          for update of o skip locked) d
        where o.ctid = d.at
        returning o.job_id, o.waits)
      select v_filled || array_agg(f.job_id), v_waited || array_agg(f.job_id) filter (where f.waits is not null)
      into v_filled, v_waited
      from filled f;`;
}

/**
 * Locks those of the returned jobs that have this rank. Their ids are known, so it skips nothing. The condition on the state is
 * written such that the planner cannot choose an index of ready jobs, whose entries it would have to skip.
 */
export function lockReturnedJobs(s: string): string {
  return `        select array_agg(c.ctid), array_agg(c.job_id), array_agg(c.lease), array_agg(c.since),
          array_agg(c.job_id) filter (where c.has_blockers), array_agg(c.job_id) filter (where c.lane is not null or c.waits is not null),
          ${notedJobs}
        into v_rows, v_jobs, v_lease, v_since, v_blocked, v_limited, v_noted
        from (
          select o.ctid, o.job_id, o.has_blockers, o.lane, o.waits, o.noted, t.lease, greatest(o.due_at, o.leased_until) as since
          from unnest(v_returned) as r(id)
          join ${s}.open_job o on o.job_id = any(array[r.id])
          join unnest(v_types, v_leases) as t(type_name, lease) on t.type_name = o.type_name
          where o.state <= 0 and o.rank = v_rank::smallint and o.leased_until <= v_now
          order by o.position limit v_left for update of o skip locked) c;`;
}

/** Leases are looked for only where there are jobs at all, because most of the cost of a claim that finds none is to begin its queries. */
export function findNextDue(s: string): string {
  return `    -- When the next job is due, the next lease ends, or the next pause ends by itself.
    select least(v_pause_ends, v_lane_look, min(d.due_at))
    from unnest(coalesce(v_asked, v_types)) as t(type_name), lateral (
      select o.due_at from ${s}.open_job o
      where o.state = 1 and (o.type_name, o.due_at) >= (t.type_name, v_due_until) and o.type_name <= t.type_name
      order by o.type_name, o.due_at limit 1) d
    into v_next;
    if v_ranks <> '{}' and v_start_at is null and not (${hasSkippedMany(s)}) then
      select least(v_next, min(l.leased_until))
      from unnest(v_ranks) as r(rank), unnest(v_types) as t(type_name), lateral (
        select min(o.leased_until) as leased_until from ${s}.open_job o
        where o.state = 0 and o.rank = r.rank and o.type_name = t.type_name and o.leased_until > v_now) l
      into v_next;
    end if;`;
}
