import { typeOf } from "../claim-names.ts";
import type { Schema } from "../schema.ts";
import { givenStarts } from "./begin.ts";
import { gateDeclarations, passGates } from "./gates.ts";
import { followMarked } from "../ends/follow-ends.ts";
import { resultColumns, resultRow } from "../result-rows.ts";
import { failureErrors } from "./failure-errors.ts";
import { innerFunction, refusalState } from "../sql-function.ts";

/** The blockers of the parameter `p_blockers` as rows: the start numbered `job` waits for `chain`, or for the start numbered `child`. */
export const givenBlockers =
  "jsonb_to_recordset(p_blockers) as l(job integer, position integer, chain uuid, child integer, type text)";

/**
 * Rule "block": jobs that were just written wait for their blockers, which are chains. A blocker that does not exist or is of
 * another type, and a ring of chains that wait for each other, are refused. A blocker that has failed fails the job at once.
 *
 * The first rows of the chains are locked in the order of their ids, so that the end of a chain either sees this job or is seen
 * by it. The lock is shared: starts that wait for the same chain do not wait for each other, only the chain's end waits for them.
 * `p_own` has, by call, the chain that the call's own job continues.
 */
export function blockFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "block_v1",
    parameters: `p_now double precision, p_starts jsonb, p_blockers jsonb, p_live boolean[], p_chains uuid[], p_own uuid[]`,
    returns: `table(${resultColumns})`,
    declare: declarations,
    body: `${readStarts}
${readBlockers}
${lockAwaitedChains(s)}
${refuseWrongBlockers(s)}
${writeBlockers(s)}
${countBlockers(s)}
${refuseRings(s)}
${takeJobsThatFailAtOnce(s)}
${endJobsThatFailAtOnce(s)}`,
  });
}

const declarations = `  v_ids uuid[];
  v_written uuid[];
  v_awaited uuid[];
${gateDeclarations}
  v_calls integer[];
  v_order integer[];
  v_start integer[];
  v_position integer[];
  v_chain uuid[];
  v_type text[];
  v_own boolean[];
  v_marked uuid[];
  v_bad record;
  v_n integer[];
  v_job uuid[];
  v_job_chain uuid[];
  v_job_type text[];
  v_errors text[];
  v_attempt integer[];
  v_fence integer[];
  v_cause uuid[];
  v_broken uuid[];
  v_broken_n integer[];
  v_call integer;
  v_cycle uuid[];`;

const readStarts = `  select array_agg(i.id order by i.n), array_agg(i.call order by i.n), array_agg(i.w order by i.n),
    coalesce(array_agg(i.id) filter (where p_live[i.n + 1]), '{}')
  into v_ids, v_calls, v_order, v_written
  from ${givenStarts};`;

const readBlockers = `  select array_agg(l.job order by l.job, l.position), array_agg(l.position order by l.job, l.position),
    array_agg(coalesce(l.chain, p_chains[l.child + 1]) order by l.job, l.position), array_agg(l.type order by l.job, l.position),
    array_agg(case when p_live[l.child + 1] then true end order by l.job, l.position)
  into v_start, v_position, v_chain, v_type, v_own
  from ${givenBlockers}
  where p_live[l.job + 1];
  if v_start is null then
    return;
  end if;`;

function lockAwaitedChains(s: string): string {
  return `  -- Chains that begin in this call need no lock, and a chain that continues here was locked when its step ended.
  v_awaited := array(select distinct l.chain from unnest(v_chain) as l(chain) where l.chain <> all(v_written));
${passGates("v_awaited")}
  perform from ${s}.job j where j.id = any(v_awaited) order by j.id for share;`;
}

/** Refuses a blocker that does not exist or is of another type. */
function refuseWrongBlockers(s: string): string {
  return `  -- A chain of the same batch exists only for the jobs that are written after it.
  select v_calls[l.start + 1] as call, l.chain as id,
    case when f.id is null or v_order[array_position(v_ids, l.chain)] >= v_order[l.start + 1] then 'chain-not-found'
      else 'job-type-mismatch' end as code,
    f.type_name as actual
  into v_bad
  from unnest(v_start, v_position, v_chain, v_type) as l(start, position, chain, type)
  left join ${s}.job f on f.id = any(array[l.chain]) and f.chain_status is not null
  where f.id is null or f.type_name <> l.type or v_order[array_position(v_ids, l.chain)] >= v_order[l.start + 1]
  order by v_calls[l.start + 1], v_order[l.start + 1], l.position limit 1;
  if found then
    raise exception 'refused' using errcode = '${refusalState}', detail = json_build_object('n', v_bad.call, 'code', v_bad.code,
      'id', v_bad.id, 'actual', case v_bad.code when 'job-type-mismatch' then v_bad.actual end)::text;
  end if;`;
}

function writeBlockers(s: string): string {
  return `  insert into ${s}.blocker (job_id, position, chain_id, counted, own)
  select v_ids[l.start + 1], l.position, l.chain, f.chain_status <> 1, l.own
  from unnest(v_start, v_position, v_chain, v_own) as l(start, position, chain, own) join ${s}.job f on f.id = any(array[l.chain]);`;
}

function countBlockers(s: string): string {
  return `  update ${s}.open_job o set
    blockers_left = w.waits_for,
    state = case when w.waits_for > 0 then 2 when o.due_at > p_now or o.lane is not null then 1 else 0 end
  from (
    select v_ids[l.start + 1] as job_id, count(distinct l.chain) filter (where f.chain_status <> 1)::integer as waits_for
    from unnest(v_start, v_chain) as l(start, chain) join ${s}.job f on f.id = any(array[l.chain])
    group by l.start) w
  where o.job_id = any(array[w.job_id]);`;
}

function refuseRings(s: string): string {
  return `  -- Only a chain that existed before can close a ring: others may wait for it already.
  for v_call in select distinct v_calls[l.start + 1] from unnest(v_start) as l(start) where p_own[v_calls[l.start + 1] + 1] is not null
  loop
    v_cycle := ${s}.cycle_v1(p_own[v_call + 1]);
    if v_cycle is not null then
      raise exception 'refused' using errcode = '${refusalState}', detail = json_build_object('n', v_call, 'code', 'blocker-cycle',
        'id', p_own[v_call + 1], 'references', to_json(v_cycle))::text;
    end if;
  end loop;`;
}

function takeJobsThatFailAtOnce(s: string): string {
  return `  -- Jobs fail at once if a chain that they wait for has failed or was cancelled, unless they choose to wait.
  with own as (
    select distinct on (l.start) v_ids[l.start + 1] as job_id, v_calls[l.start + 1] as n, l.chain as cause,
      ${failureErrors("c", "p_now")} as errors
    from unnest(v_start, v_position, v_chain) as l(start, position, chain)
    join ${s}.job c on c.id = any(array[l.chain])
    join ${s}.job j on j.id = any(array[v_ids[l.start + 1]])
    where c.chain_status > 1 and j.on_blocker_failure = 0
    order by l.start, l.position),
  gone as (
    delete from ${s}.open_job o using own w where o.job_id = any(array[w.job_id])
    returning w.n, w.cause, w.errors, o.job_id, o.chain_id, ${typeOf("o.type_name")} as type_name, o.attempt, o.fence, o.on_end)
  select array_agg(g.n), array_agg(g.job_id), array_agg(g.chain_id), array_agg(g.type_name), array_agg(g.errors),
    array_agg(g.attempt), array_agg(g.fence), array_agg(g.cause), array_agg(g.job_id) filter (where g.on_end)
  into v_n, v_job, v_job_chain, v_job_type, v_errors, v_attempt, v_fence, v_cause, v_marked
  from gone g;`;
}

function endJobsThatFailAtOnce(s: string): string {
  return `  if v_job is not null then
    return query
    select ${resultRow("failed", { n: "e.n", jobId: "e.job_id", chainId: "e.chain_id", typeName: "e.type_name" })}
    from unnest(v_n, v_job, v_job_chain, v_job_type) as e(n, job_id, chain_id, type_name);
    select c.broken, c.broken_n into v_broken, v_broken_n
    from ${s}.end_v1(p_now, v_n, v_job, v_job_chain, v_job_type, array_fill(2::smallint, array[cardinality(v_n)]), null, null,
      v_errors, v_attempt, v_fence, null, null, v_cause, null) c;
    if v_marked is not null then
${followMarked(s, "p_now")}
    end if;
    return query select * from ${s}.release_v1(p_now, null, null, v_broken, v_broken_n);
  end if;`;
}
