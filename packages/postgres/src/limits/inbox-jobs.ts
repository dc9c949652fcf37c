import { plainRank } from "../claim-start.ts";
import { isUnpaused } from "../rules/pause.ts";
import { inboxLane } from "./tables.ts";

/*
 * The jobs of the inbox, see `inbox.ts`: which of them a claim takes, and how the keys share those that wait.
 */

/** How long a backlog is taken in the order of the starts. */
const longestMs = 1_000;

/** A claim that can take fewer looks at so many. */
const fewestSeen = 20;

/**
 * The parts `r` of the inbox: that of priority 0, which nearly all jobs have, begins where earlier claims found its first job, so that
 * those that have begun since are not passed again while a transaction keeps an old snapshot open.
 */
const parts = `(values ((-32768)::smallint, (${plainRank - 1})::smallint, 0::bigint), ((${plainRank})::smallint, (${plainRank})::smallint, p_inbox_from),
                ((${plainRank + 1})::smallint, 32767::smallint, 0)) as r(low, high, first)`;

const isThere = `p.lane = ${inboxLane} and p.type_name = t.type_name and p.rank >= r.low and p.rank <= r.high and p.position >= r.first`;

/**
 * The position of the first job of priority 0 in the inbox, of these types, and whether there are jobs of other priorities. Not that of the first
 * one which a claim locks: those that others have locked may stay, and the next claim would begin behind them.
 */
export const firstInInbox = (s: string) => `(
      select min(p.position) from unnest(p_types) as t(type_name), lateral (
        select p.position from ${s}.parked p
        where p.lane = ${inboxLane} and p.type_name = t.type_name and p.rank = ${plainRank} and p.position >= p_inbox_from
        order by p.position limit 1) p)`;

export const hasOtherRanks = (s: string) => `exists (
      select from unnest(p_types) as t(type_name), (values (-32768, ${plainRank - 1}), (${plainRank + 1}, 32767)) as r(low, high), lateral (
        select from ${s}.parked p
        where p.lane = ${inboxLane} and p.type_name = t.type_name and p.rank >= r.low and p.rank <= r.high limit 1) p)`;

/**
 * The lanes of the jobs are numbered in the order of their first ones. A job that was started by a clock that is ahead of this one is not
 * there yet: the first job of its call, which is scheduled, is not due either.
 */
export function lockInbox(s: string, most: string, mostOfType = most): string {
  return `      select coalesce(array_agg(c.at), '{}'), array_agg(c.parked_at), array_agg(c.job_id), array_agg(c.key), array_agg(c.nth_lane),
        array_agg(c.lease), array_agg(c.since), array_agg(c.rank), array_agg(c.position), array_agg(c.type_name::text),
        array_agg(c.attempt + 1), array_agg(c.fence + 1), array_agg(c.weight), array_agg(c.has_blockers), array_agg(c.noted),
        coalesce(bool_or(c.holds), false)
      into v_rows, v_parked, v_job, v_job_key, v_job_lane, v_job_lease, v_job_since, v_job_rank, v_job_position, v_job_type, v_job_attempt,
        v_job_fence, v_job_weight, v_job_is_blocked, v_job_is_noted, v_is_ordered
      from (
        select o.*, dense_rank() over (order by o.first)::integer as nth_lane
        from (
          select o.*, min(o.n) over (partition by o.key, o.type_name) as first
          from (
            select o.*, t.lease, row_number() over (order by o.rank, o.position) as n
            from unnest(p_types, p_leases) as t(type_name, lease), ${parts},
            lateral (
              select o.ctid as at, p.ctid as parked_at, o.job_id, o.lane as key, p.rank, p.position, o.type_name, o.attempt, o.fence,
                o.has_blockers, o.noted, o.lane_holds as holds, coalesce(o.lane_weight, 1::smallint) as weight, greatest(o.due_at, o.leased_until) as since
              from ${s}.parked p join ${s}.open_job o on o.job_id = any(array[p.job_id])
              where ${isThere} and o.state = 3 and o.type_name = t.type_name and o.due_at <= p_now
              order by p.rank, p.position limit ${mostOfType} for update of o skip locked) o
            where ${isUnpaused(s, "t.type_name", "p_now")}) o
          where o.n <= ${most}) o
        order by o.n) c;`;
}

/** How many types have jobs in the inbox. */
export const countTypes = (s: string) => `(
      select count(distinct t.type_name) from unnest(p_types) as t(type_name), ${parts}, lateral (
        select from ${s}.parked p where ${isThere} limit 1) p)`;

/** Whether a job has waited for long. Asked before any are locked: others may be about to put that job into its lane. */
export const isOld = (s: string) => `exists (
      select from unnest(p_types) as t(type_name), ${parts}, lateral (
        select p.job_id from ${s}.parked p where ${isThere} order by p.rank, p.position limit 1) p
      join ${s}.open_job o on o.job_id = any(array[p.job_id])
      where o.due_at <= p_now - ${longestMs})`;

/**
 * Whether keys have to take turns: if lanes of another priority are open, or if more jobs wait than are taken, and some lanes have more than
 * a turn: a quarter of all, or any where few jobs are seen.
 */
export function lookWhetherUneven(s: string): string {
  return `        v_is_uneven := v_turns > 0 and (v_open_rank <> v_job_rank[1] or v_open_rank <> v_job_rank[cardinality(v_rows)]);
        if not v_is_uneven and cardinality(v_rows) = v_most then
          v_most_turns := 1;
          v_is_uneven := (
            select sum(greatest(0, l.jobs - l.weight)) * case when v_most < ${fewestSeen} then ${fewestSeen} else 4 end >= sum(l.jobs)
            from (
              select count(*) as jobs, max(w.weight) as weight
              from (
                select t.key, t.type_name, t.weight from unnest(v_job_key, v_job_type, v_job_weight) as t(key, type_name, weight)
                union all
                select p.* from unnest(p_types) as t(type_name), ${parts}, lateral (
                  select o.lane, o.type_name::text, coalesce(o.lane_weight, 1::smallint)
                  from ${s}.parked p join ${s}.open_job o on o.job_id = any(array[p.job_id])
                  where ${isThere} and o.state = 3 and o.job_id <> all(v_job)
                  order by p.rank, p.position limit ${fewestSeen} - v_most) p
                where v_most < ${fewestSeen}) w
              group by w.key, w.type_name) l);
        end if;`;
}

/**
 * The lanes of which a job that comes before those of this claim is due, but not in the inbox yet: it has become visible since this claim
 * looked for due jobs, or another claim is about to put it there. Where one job at a time has a key, also those of which another transaction
 * has locked an earlier job in the inbox. So the jobs of a key begin in their order. This is found before the states of lanes are read: once that
 * transaction has committed, its job is in its lane, or has begun.
 */
export function findLanesBehind(s: string): string {
  return `      v_behind := '{}';
      v_inbox_rank := v_job_rank[cardinality(v_rows)];
      v_inbox_position := v_job_position[cardinality(v_rows)];
      v_has_others := exists (select from unnest(p_types) as t(type_name), ${firstDue(s, "1")} where o.due_at <= p_now)
        or (v_is_ordered or ${hasOnePlace(s)}) and cardinality(v_rows) < (
        select count(*) from unnest(p_types) as t(type_name), lateral (${earlier(s, "p.job_id")}) p);
      if v_has_others then
        v_is_ordered := v_is_ordered or ${hasOnePlace(s)};
        v_behind := array(
          select distinct m.nth_lane
          from (
            select x.* from (
              select o.lane, o.type_name, p.rank, p.position
              from (
                select p.* from unnest(p_types) as t(type_name), lateral (${earlier(s, "p.job_id, p.rank, p.position, p.ctid as at")}) p
                where v_is_ordered and p.at <> all(v_parked)) p
              join ${s}.open_job o on o.job_id = any(array[p.job_id])
              union all
              select o.lane, o.type_name, o.rank, o.position from unnest(p_types) as t(type_name), ${firstDue(s, countOfDue(s))}
              where o.due_at <= p_now and (o.rank, o.position) < (v_inbox_rank, v_inbox_position)) x
            where x.lane = any(v_job_key) offset 0) x
          join unnest(v_job_key, v_job_type, v_job_lane, v_job_rank, v_job_position) as m(key, type_name, nth_lane, rank, position)
            on m.key = x.lane and m.type_name = x.type_name and (x.rank, x.position) < (m.rank, m.position));
      end if;`;
}

/**
 * The entries of the inbox up to the last one of this claim. Those of its own rank are read apart, with an equality: where a row is compared, or a
 * range of ranks comes first, Postgres reads the index to its end.
 */
function earlier(s: string, columns: string): string {
  return `
                select ${columns} from ${parts}, ${s}.parked p where ${isThere} and p.rank < v_inbox_rank
                union all
                select ${columns} from ${s}.parked p
                where p.lane = ${inboxLane} and p.type_name = t.type_name and p.rank = v_inbox_rank and p.position <= v_inbox_position
                  and p.position >= case v_inbox_rank when ${plainRank} then p_inbox_from else 0 end
                offset 0`;
}

/** Whether a limit lets one job of a key run at a time. */
const hasOnePlace = (s: string) =>
  `exists (select from ${s}.limit_rule r where coalesce(r.override_concurrency, r.concurrency) = 1 and r.name > '')`;

/**
 * The first jobs of a type that are scheduled. They come in the order of an index, which no other index has, and no more of them than are due of all
 * types: a condition on the moment would not end the scan.
 */
const firstDue = (s: string, most: string) => `lateral (
              select o.due_at, o.lane, o.type_name, o.rank, o.position from ${s}.open_job o
              where o.state = 1 and (o.type_name, o.due_at) >= (t.type_name, p_due_from) and o.type_name <= t.type_name
              order by o.type_name, o.due_at limit ${most}) o`;

const countOfDue = (s: string) =>
  `(select count(*) from ${s}.open_job d where d.state = 1 and d.due_at <= p_now and d.due_at >= p_due_from)`;
