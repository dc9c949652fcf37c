import { typeOf } from "../claim-names.ts";
import type { Schema } from "../schema.ts";
import { failureErrors } from "./failure-errors.ts";
import { followMarked } from "../ends/follow-ends.ts";
import { resultColumns, resultRow } from "../result-rows.ts";
import { outerFunction, seesThePast } from "../sql-function.ts";

/** How many waiting jobs one call looks at. Later exchanges continue with the rest. */
export const mostAtOnce = 500;

const [leastId, mostId] = [
  "'00000000-0000-0000-0000-000000000000'::uuid",
  "'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid",
];

/** The ended chains of this round, each with the range of ids of the jobs to release. */
const ended = `unnest(v_ended, v_ended_n, v_from, v_until) with ordinality as e(chain_id, n, from_id, until_id, at)`;

/**
 * Rule "release": what follows from the ends of chains. Jobs that waited for a completed chain wait for one chain less; one that
 * waits for none is ready, or scheduled. Jobs that waited for a broken chain fail unless they choose to wait, and so do the jobs
 * that waited for their chains, breadth first. Ended chains that processes wait for are reported.
 *
 * One call looks at a bounded number of jobs, and waits for no other transaction. The rest is written to the table `release`:
 * a range of job ids of a chain, where each locked job is a separate range. `resume_release_v2` continues with these ranges and
 * passes them as `p_completed_from`, `p_completed_until` and so on.
 */
export function releaseFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "release_v1",
    parameters: `p_now double precision, p_completed uuid[], p_completed_n integer[], p_broken uuid[], p_broken_n integer[],
  p_completed_from uuid[] default null, p_completed_until uuid[] default null, p_broken_from uuid[] default null,
  p_broken_until uuid[] default null`,
    returns: `table(${resultColumns})`,
    declare: declarations,
    body: `${leaveAllToAnotherTransaction(schema)}
  while v_ended is not null loop
${reportAwaitedChains(s, "v_ended, v_ended_n")}
${findWaitingJobs(s)}
    if v_is_broken then
${failWaitingJobs(s)}
    else
${countDownWaitingJobs(s)}
    end if;
${leaveTheRest(schema)}
${leaveLockedJobs(schema)}
    if v_passes and not v_is_broken then
${passCompensations(s)}
    end if;
    v_left := v_left - least(v_left, coalesce(cardinality(v_found), 0));
    if not v_is_broken then
${goToBrokenChains}
    else
${endFailedJobs(s)}
    end if;
  end loop;`,
  });
}

const declarations = `  v_left integer := ${mostAtOnce};
  v_is_broken boolean := p_completed is null;
  v_ended uuid[] := coalesce(p_completed, p_broken);
  v_ended_n integer[] := case when v_is_broken then p_broken_n else p_completed_n end;
  v_from uuid[] := case when v_is_broken then p_broken_from else p_completed_from end;
  v_until uuid[] := case when v_is_broken then p_broken_until else p_completed_until end;
  v_at integer[];
  v_found uuid[];
  v_found_chain uuid[];
  v_found_n integer[];
  v_position integer[];
  v_passes boolean;
  v_marked uuid[];
  v_waiting integer;
  v_n integer[];
  v_job uuid[];
  v_chain uuid[];
  v_type text[];
  v_state smallint[];
  v_due double precision[];
  v_errors text[];
  v_attempt integer[];
  v_fence integer[];
  v_cause uuid[];`;

function leaveAllToAnotherTransaction({ quoted: s, positions }: Schema): string {
  return `  if ${seesThePast} then
${reportAwaitedChains(s, "p_completed || p_broken, p_completed_n || p_broken_n")}
    -- This transaction may not see all the jobs that wait: leave everything to another one.
    return query
    with ended as (
      select * from unnest(p_completed, p_completed_n) as e(chain_id, n) where e.chain_id is not null
      union all select * from unnest(p_broken, p_broken_n) as e(chain_id, n) where e.chain_id is not null),
    kept as (
      insert into ${s}.release (position, chain_id, from_id, until_id)
      select nextval(${positions}), e.chain_id, ${leastId}, ${mostId} from ended e)
    select ${resultRow("releasing", { n: "e.n" })} from ended e;
    return;
  end if;`;
}

function reportAwaitedChains(s: string, chains: string): string {
  return `    return query
    select ${resultRow("awaited", {
      n: "e.n",
      chainId: "e.chain_id",
      unused: `case when j.signals then (select count(*)::integer from ${s}.signal g where g.chain_id = j.id and g.taken_by is null) end`,
      isNoted: "j.awaited::integer",
    })}
    from unnest(${chains}) as e(chain_id, n) join ${s}.job j on j.id = any(array[e.chain_id])
    -- Not where a release is resumed: that was reported when the chain ended.
    where v_from is null and (j.awaited or j.signals) and j.chain_status > 0;`;
}

function findWaitingJobs(s: string): string {
  return `    -- The jobs to look at, chain by chain in the order of their ids, and one more than that if there is one.
    select array_agg(f.at::integer), array_agg(f.job_id), array_agg(f.chain_id), array_agg(f.n), array_agg(f.position),
      bool_or(f.passes)
    into v_at, v_found, v_found_chain, v_found_n, v_position, v_passes
    from (
      select e.at, e.chain_id, e.n, b.job_id, b.position, b.passes
      from ${ended}, lateral (
        select distinct on (b.chain_id, b.job_id) b.job_id, b.position, b.passes from ${s}.blocker b
        where (b.chain_id, b.job_id) >= (e.chain_id, coalesce(e.from_id, ${leastId})) and b.counted
          -- Only this index has that row. The scan begins and ends where these say.
          and b.chain_id = any(array[e.chain_id]) and b.job_id between coalesce(e.from_id, ${leastId}) and coalesce(e.until_id, ${mostId})
        order by b.chain_id, b.job_id, b.position limit v_left + 1) b
      order by e.at, b.job_id limit v_left + 1) f;`;
}

function failWaitingJobs(s: string): string {
  return `      -- Fail them. The first rows of their chains are locked as well, so that end_v1 waits for no one.
      with waiting as materialized (
        select distinct on (f.job_id) f.job_id, f.n, f.chain_id as cause, ${failureErrors("c", "p_now")} as errors
        from unnest(v_found, v_found_chain, v_found_n, v_position) with ordinality as f(job_id, chain_id, n, position, nth)
        join ${s}.job j on j.id = any(array[f.job_id])
        join ${s}.job c on c.id = any(array[f.chain_id])
        where f.nth <= v_left and j.status = 0 and j.on_blocker_failure = 0
        order by f.job_id, f.position),
      held as materialized (
        select w.job_id, w.n, w.cause, w.errors
        from waiting w
        join ${s}.open_job o on o.job_id = any(array[w.job_id])
        join ${s}.job c on c.id = any(array[o.chain_id])
        where o.state = 2 for update of o skip locked for no key update of c skip locked),
      gone as (
        delete from ${s}.open_job o using held h where o.job_id = any(array[h.job_id]) and o.state = 2
        returning h.n, h.cause, h.errors, o.job_id, o.chain_id, ${typeOf("o.type_name")} as type_name, o.attempt, o.fence, o.on_end)
      select (select count(*) from waiting), array_agg(g.n), array_agg(g.job_id), array_agg(g.chain_id), array_agg(g.type_name),
        array_agg(g.errors), array_agg(g.attempt), array_agg(g.fence), array_agg(g.cause), array_agg(g.job_id) filter (where g.on_end)
      into v_waiting, v_n, v_job, v_chain, v_type, v_errors, v_attempt, v_fence, v_cause, v_marked
      from gone g;
      return query
      select ${resultRow("failed", { n: "e.n", jobId: "e.job_id", chainId: "e.chain_id", typeName: "e.type_name" })}
      from unnest(v_n, v_job, v_chain, v_type) as e(n, job_id, chain_id, type_name);`;
}

function countDownWaitingJobs(s: string): string {
  return `      -- Count them down. By their ids and not by ctid: a row that another transaction changed just before it was locked
      -- has moved.
      with waiting as materialized (
        select f.job_id, count(*)::integer as chains, max(f.n) as n
        from unnest(v_found, v_found_n) with ordinality as f(job_id, n, nth) where f.nth <= v_left
        group by f.job_id),
      held as materialized (
        select w.job_id, w.chains, w.n from waiting w join ${s}.open_job o on o.job_id = any(array[w.job_id])
        where o.state = 2 for update of o skip locked),
      counted as (
        update ${s}.open_job o set
          blockers_left = o.blockers_left - h.chains,
          state = case when o.blockers_left > h.chains then 2 when o.due_at > p_now or o.lane is not null then 1 else 0 end,
          due_at = case when o.blockers_left > h.chains then o.due_at else greatest(o.due_at, p_now) end
        from held h where o.job_id = any(array[h.job_id]) and o.state = 2
        returning h.n, o.job_id, o.chain_id, o.type_name, o.state, o.due_at)
      select (select count(*) from waiting), array_agg(c.n), array_agg(c.job_id), array_agg(c.chain_id), array_agg(c.type_name),
        array_agg(c.state), array_agg(c.due_at)
      into v_waiting, v_n, v_job, v_chain, v_type, v_state, v_due
      from (select * from counted order by job_id) c;
      return query
      select ${resultRow("unblocked", {
        n: "e.n",
        jobId: "e.job_id",
        chainId: "e.chain_id",
        typeName: typeOf("e.type_name"),
        status: "case when e.due_at > p_now then 'scheduled' else 'ready' end",
        dueInMs: "e.due_at - p_now",
        claimName: "e.type_name",
        followUp: "null",
      })}
      from unnest(v_n, v_job, v_chain, v_type, v_state, v_due) as e(n, job_id, chain_id, type_name, state, due_at)
      where e.state <> 2;`;
}

function leaveTheRest({ quoted: s, positions }: Schema): string {
  return `    if cardinality(v_found) > v_left then
      -- Leave the rest: the chain of the first job not looked at, from that job on, and the chains after it.
      insert into ${s}.release (position, chain_id, from_id, until_id)
      select nextval(${positions}), e.chain_id, case when e.at = v_at[v_left + 1] then v_found[v_left + 1] else e.from_id end, e.until_id
      from (
        select e.at, e.chain_id, coalesce(e.from_id, ${leastId}) as from_id, coalesce(e.until_id, ${mostId}) as until_id
        from ${ended} where e.at >= v_at[v_left + 1]
        -- The chain that had its turn goes behind the others.
        order by e.at = v_at[v_left + 1], e.at) e;
      return query
      select ${resultRow("releasing", { n: "e.n" })} from ${ended} where e.at >= v_at[v_left + 1];
    end if;`;
}

function leaveLockedJobs({ quoted: s, positions }: Schema): string {
  return `    if coalesce(cardinality(v_job), 0) < v_waiting then
      -- Leave each job that is still blocked because another transaction has locked it.
      return query
      with locked as materialized (
        select f.chain_id, f.job_id, f.n
        from unnest(v_found_chain, v_found, v_found_n) with ordinality as f(chain_id, job_id, n, nth)
        join ${s}.open_job o on o.job_id = any(array[f.job_id])
        join ${s}.job j on j.id = any(array[f.job_id])
        where f.nth <= v_left and o.state = 2 and (j.on_blocker_failure = 0 or not v_is_broken) and f.job_id <> all(coalesce(v_job, '{}'))),
      kept as (
        insert into ${s}.release (position, chain_id, from_id, until_id)
        select nextval(${positions}), l.chain_id, l.job_id, l.job_id from locked l)
      select ${resultRow("locked", { n: "l.n" })} from locked l;
    end if;`;
}

function passCompensations(s: string): string {
  return `      return query
      select p.* from (
        select array_agg(f.n) as n, array_agg(f.chain_id) as chains, array_agg(f.job_id) as jobs
        from unnest(v_found, v_found_chain, v_found_n) with ordinality as f(job_id, chain_id, n, nth) where f.nth <= v_left) i,
        lateral ${s}.pass_compensations_v1(p_now, i.n, i.chains, i.jobs) p;`;
}

const goToBrokenChains = `      v_is_broken := true;
      v_ended := p_broken;
      v_ended_n := p_broken_n;
      v_from := p_broken_from;
      v_until := p_broken_until;`;

/** Ends the jobs that were failed. The chains that are broken by that come next. */
function endFailedJobs(s: string): string {
  return `      v_from := null;
      v_until := null;
      v_ended := null;
      if v_job is not null then
        select c.broken, c.broken_n into v_ended, v_ended_n
        from ${s}.end_v1(p_now, v_n, v_job, v_chain, v_type, array_fill(2::smallint, array[cardinality(v_n)]), null, null,
          v_errors, v_attempt, v_fence, null, null, v_cause, null) c;
        if v_marked is not null then
${followMarked(s, "p_now")}
        end if;
      end if;`;
}
