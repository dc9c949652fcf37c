import { literal, type Schema } from "../schema.ts";
import { readRules } from "./choose-lanes.ts";
import { countTypes, findLanesBehind, lockInbox, lookWhetherUneven } from "./inbox-jobs.ts";
import { noteProbes } from "./probes.ts";
import { gatesOf } from "./rules-of-gates.ts";
import { isNamed, turns } from "./tables.ts";
import { assignPlaces, leaseLocked } from "./take-jobs.ts";
import { takePlaces } from "./take-places.ts";

/*
 * The inbox has the ready jobs under limits that no claim has looked at: rows of `parked` in a lane that all jobs of a claim name share.
 * Most of them can begin at once, and then never enter a lane of their own, which costs more than the job itself.
 *
 * A job begins so if no other waits in its lane, and no open lane has one of its gates. Otherwise, and if no place is free, it goes into
 * its lane. So do all jobs of a lane that has more than its turn there while more jobs wait than a claim can take. If many of
 * them do, or have waited for a second, a claim puts many at once into their lanes, so that keys take turns.
 */

/**
 * How many jobs of an uneven or an old backlog go into their lanes at once, also if lanes fill the claim: a key waits for so many claims of
 * workers whose slots are seldom free until its jobs are in their lane. It takes about 20 us for each.
 */
const mostAtOnce = 2_000;

/** How long a lane is idle until a claim that uses it notes that. Upkeep waits longer before it removes one. */
const freshMs = 20_000;

/**
 * Whether no other claim is putting many jobs into their lanes. The others would pass all jobs that it has locked, and have enough to do
 * with the lanes. The lock ends with the transaction.
 */
const isAlone = (s: string) =>
  `pg_try_advisory_xact_lock(${literal(`${s}.parked`)}::regclass::oid::integer, 1129796937)`;

/**
 * Locks the jobs that this claim takes, and makes the lanes that are missing. That may wait for other claims, which may wait for this one
 * as soon as it has locked lanes or made places. So it comes first.
 */
export function lookIntoInbox(schema: Schema): string {
  const { quoted: s } = schema;
  return `${seeLanes(s)}
    v_most := v_room + v_ahead_left;
    v_most_turns := ${endlessTurns};
    if v_is_old then
      v_is_uneven := true;
    elsif not v_is_uneven and v_most > 0 then
${lockInbox(s, "v_most")}
      if v_rows <> '{}' then
${lookWhetherUneven(s)}
      end if;
    end if;
    if v_is_uneven and v_left + v_ahead_left > 0 then
      v_rows := '{}';
      if ${isAlone(s)} then
        -- Of many types not all take so many rows, of which this claim would only keep the first.
        v_most_of_type := greatest(v_most, ${mostAtOnce} / greatest(1, ${countTypes(s)}));
${lockInbox(s, `greatest(v_most, ${mostAtOnce})`, "v_most_of_type")}
      end if;
    end if;
    v_is_more := cardinality(v_rows) >= v_most and v_rows <> '{}';
    v_is_left := v_rows = '{}';
    if v_rows <> '{}' then
${findLanesBehind(s)}
${readLanes(s)}
      v_is_missing := array_position(v_gates, null) is not null;
      if v_is_missing then
${makeLanes(schema)}
      end if;
    end if;`;
}

/** Begins these jobs, or puts them into their lanes. They share the slots with the lanes that are open, each of which gets its turn. */
export function takeInbox(s: string): string {
  return `    if v_has_events or v_has_looks then
${seeLanes(s)}
    end if;
    if v_is_missing or v_has_events or v_has_looks then
${readLanes(s)}
    end if;
    if v_is_uneven then
      select array_agg(t.job_id), array_agg(t.at) into v_late, v_late_at
      from unnest(v_job, v_parked, v_job_lane) as t(job_id, at, lane) where v_is_old or t.lane <> all(v_behind);
      v_is_left := not v_is_old and v_behind <> '{}';
    else
${beginJobs(s)}
    end if;
    if v_late is not null then
      v_is_left := ${s}.open_lanes_v1(p_now, v_late, v_late_at) or v_is_left;
      if v_is_old and v_is_ordered and v_behind <> '{}' then
${closeLanesBehind(s)}
      end if;
    end if;`;
}

/**
 * Jobs of lanes of which another transaction holds an earlier job, see `findLanesBehind`, stay in the inbox. Those of an old backlog go into their
 * lanes all the same, because they would fill what claims take for as long as a transaction of the application is open. If their order is
 * promised, the lane is looked at after so long: a claim has ended by then, and its job is in the lane, or has begun.
 */
const behindMs = 100;

/** Those that another claim has locked are left to it. */
function closeLanesBehind(s: string): string {
  return `        update ${s}.lane l set
          state = 3, blocked_by = l.gates[1], look_at = p_now + ${behindMs}
        from (
          select l.ctid as at from unnest(v_key, v_type) with ordinality as t(key, type_name, n)
          join ${s}.lane l on l.key = any(array[t.key]) and l.type_name = t.type_name
          where t.n = any(v_behind) and l.state > 0 and l.state < 2
          for no key update of l skip locked) t
        where l.ctid = t.at;`;
}

/** More than a lane has jobs in the inbox that a claim takes. */
const endlessTurns = 60_000;

/** How many jobs the open lanes may begin, and those that have kept their places, as far as they could fill the claim; whether any is open. */
function seeLanes(s: string): string {
  return `    select coalesce(sum(l.weight), 0), coalesce(array_agg(l.gates::text), '{}'), min(l.rank)
    into v_turns, v_open_gates, v_open_rank
    from unnest(p_types) as t(type_name), lateral (
      select l.weight, l.gates, l.rank from ${s}.lane l
      where ${isNamed("l", "t.type_name")} and l.state = 1 order by l.rank, l.turn limit greatest(v_left, 1)) l;
    if v_open_gates = '{}' then
      v_busy := '{}';
    else
      v_busy := array(select distinct g.gate from unnest(v_open_gates) as l(gates), unnest(l.gates::text[]) as g(gate));
    end if;
    if v_has_kept then
      v_turns := v_turns + (
        select count(*) from unnest(p_types) as t(type_name), lateral (
          select from ${s}.kept k where k.type_name = t.type_name and k.look_at <= p_now order by k.look_at limit v_left) k);
    end if;
    v_room := greatest(0, v_left - v_turns);
    v_is_uneven := v_is_uneven or v_room = 0 and v_left > 0;`;
}

/** What is asked of each lane: as many as it has among the slots, or ahead of them if it has none there. */
function readLanes(s: string): string {
  return `      select array_agg(g.key order by g.lane), array_agg(g.type_name order by g.lane), array_agg(g.gates::text order by g.lane),
        array_agg(g.now_jobs = 0 order by g.lane), array_agg(g.lease order by g.lane), array_agg(g.may_begin order by g.lane),
        array_agg(case when g.may_begin then least(g.most, case g.now_jobs when 0 then g.jobs else g.now_jobs end) else 0 end::integer
          order by g.lane),
        array_agg(g.jobs > g.most order by g.lane),
        bool_or(g.is_stale)
      into v_key, v_type, v_gates, v_is_ahead, v_lease, v_may_begin, v_asked, v_has_more, v_is_stale
      from (
        select g.*, g.weight * v_most_turns as most, l.gates, l.idle_at <= p_now - ${freshMs} as is_stale,
          coalesce(l.state = 0 and not l.gates && v_busy, false) and g.lane <> all(v_behind) as may_begin
        from (
          select t.lane, (array_agg(t.key))[1] as key, min(t.type_name) as type_name, min(t.lease) as lease,
            count(*) filter (where t.n <= v_room + v_ahead_left) as jobs,
            count(*) filter (where t.n <= v_room) as now_jobs, max(t.weight)::integer as weight
          from unnest(v_job_lane, v_job_key, v_job_type, v_job_lease, v_job_weight) with ordinality as t(lane, key, type_name, lease, weight, n)
          group by t.lane) g
        left join ${s}.lane l on l.key = any(array[g.key]) and l.type_name = g.type_name) g;`;
}

/** Waits for claims that make them too. So a claim does it once, in the order of their keys, before it makes places. */
function makeLanes(schema: Schema): string {
  const { quoted: s } = schema;
  return `        insert into ${s}.lane (key, type_name, gates, state, weight, rank, turn, idle_at)
        select t.key, t.type_name, ${gatesOf("j.limits")}, 0, 1, 0, nextval(${turns(schema)}), p_now
        from (
          select t.key, t.type_name, (array_agg(t.job_id))[1] as job_id
          from unnest(v_job_lane, v_job_key, v_job_type, v_job) as t(lane, key, type_name, job_id)
          where v_gates[t.lane] is null
          group by t.key, t.type_name) t
        join ${s}.job j on j.id = any(array[t.job_id])
        order by t.key, t.type_name collate "C"
        on conflict do nothing;`;
}

/**
 * Begins the jobs that have a place of each of their gates. Others go into their lanes, unless they would only have been claimed ahead of
 * the slots, or their lane is gone, because upkeep has just removed it.
 */
function beginJobs(s: string): string {
  return `        if v_is_stale then
${refreshLanes(s)}
        end if;
${readRules(s)}
        v_asked := v_want;
        -- A claim makes places once: those of the lanes that are open, or those of these.
        v_leaves_places := not v_has_made and v_turns > 0 and random() < 0.5;
        v_has_made := v_has_made or v_leaves_places;
${takePlaces(s)}
        v_has_made := v_has_made and not v_leaves_places;
${chooseBeginning}
${leaseLocked(s)}
        for i in 1 .. cardinality(v_key) loop
          if v_is_ahead[i] then
            v_ahead_left := v_ahead_left - v_taken[i];
            v_left := v_left + v_taken[i];
          end if;
        end loop;
${assignPlaces(s)}
${noteProbes(s)}`;
}

function refreshLanes(s: string): string {
  return `          update ${s}.lane l set idle_at = p_now
          from (
            select l.ctid as at from unnest(v_key, v_type) as t(key, type_name)
            join ${s}.lane l on l.key = any(array[t.key]) and l.type_name = t.type_name
            where l.state + 0 = 0 and l.idle_at <= p_now - ${freshMs}
            for no key update of l skip locked) t
          where l.ctid = t.at;`;
}

const numbered = (columns: string, names: string) => `(
          select t.*, row_number() over (partition by t.lane order by t.n) as nth
          from unnest(${columns}) with ordinality as t(${names}, n)
          order by t.lane, t.n) t`;

const chooseSome = `        select array_agg(t.job_id), array_agg(t.at) into v_late, v_late_at
        from ${numbered("v_job, v_parked, v_job_lane", "job_id, at, lane")}
        where t.nth > v_want[t.lane] and v_gates[t.lane] is not null and t.lane <> all(v_behind)
          and (not v_may_begin[t.lane] or v_has_more[t.lane] or not v_is_ahead[t.lane] and v_want[t.lane] < v_asked[t.lane]);
        select coalesce(array_agg(t.at), '{}'), array_agg(t.parked_at), coalesce(array_agg(t.job_id), '{}'), array_agg(t.lane),
          array_agg(t.lease), array_agg(t.since), array_agg(t.rank), array_agg(t.position), array_agg(t.type_name), array_agg(t.attempt),
          array_agg(t.fence), array_agg(t.job_id) filter (where t.is_blocked), array_agg(t.job_id) filter (where t.is_noted)
        into v_rows, v_parked, v_job, v_job_lane, v_job_lease, v_job_since, v_job_rank, v_job_position, v_job_type, v_job_attempt,
          v_job_fence, v_job_blocked, v_job_noted
        from ${numbered(
          `v_rows, v_parked, v_job, v_job_lane, v_job_lease, v_job_since, v_job_rank, v_job_position, v_job_type, v_job_attempt,
            v_job_fence, v_job_is_blocked, v_job_is_noted`,
          `at, parked_at, job_id, lane, lease, since, rank, position, type_name, attempt, fence, is_blocked, is_noted`,
        )}
        where t.nth <= v_want[t.lane];`;

/** Mostly each job has a lane of its own, and begins: then they stay as they are. */
const chooseBeginning = `        v_is_left := v_behind <> '{}';
        if v_want = array_fill(1, array[cardinality(v_rows)]) and (true = any(v_job_is_blocked || v_job_is_noted)) is not true then
          v_job_blocked := null;
          v_job_noted := null;
        else
${chooseSome}
        end if;`;
