import { isOne } from "./is-one.ts";
import type { Schema } from "../schema.ts";
import { startRecord } from "./begin.ts";
import { gateDeclarations, passGates } from "./gate.ts";
import { factColumns, factRow } from "./fact-row.ts";
import { failureErrors } from "./follow.ts";
import { innerFunction, refusalState } from "./function.ts";

/** How blockers travel: of the start numbered `job`, an existing `chain` or the start numbered `child`. */
export const linkRecord = "job integer, position integer, chain uuid, child integer, type text";

/**
 * Ties jobs that have just been written to the chains they wait for. The first rows of those chains are locked in the order
 * of their ids, so that a chain's end either sees this job or is seen by it. The lock is shared: jobs that wait for the same
 * chain are started side by side, and only the chain's end waits for them.
 */
export function linkFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "link_v1",
    parameters: `p_now double precision, p_starts jsonb, p_links jsonb, p_live boolean[], p_chains uuid[], p_own uuid[]`,
    returns: `table(${factColumns})`,
    declare: `  v_ids uuid[];
  v_written uuid[];
  v_awaited uuid[];
${gateDeclarations}
  v_calls integer[];
  v_order integer[];
  v_start integer[];
  v_position integer[];
  v_chain uuid[];
  v_type text[];
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
  v_cycle uuid[];`,
    body: `  select array_agg(i.id order by i.n), array_agg(i.call order by i.n), array_agg(i.w order by i.n),
    coalesce(array_agg(i.id) filter (where p_live[i.n + 1]), '{}')
  into v_ids, v_calls, v_order, v_written
  from jsonb_to_recordset(p_starts) as i(${startRecord});
  select array_agg(l.job order by l.job, l.position), array_agg(l.position order by l.job, l.position),
    array_agg(coalesce(l.chain, p_chains[l.child + 1]) order by l.job, l.position), array_agg(l.type order by l.job, l.position)
  into v_start, v_position, v_chain, v_type
  from jsonb_to_recordset(p_links) as l(${linkRecord})
  where p_live[l.job + 1];
  if v_start is null then
    return;
  end if;
  -- The rows of chains that begin in this call are its own; a chain that goes on here has been locked by its end.
  v_awaited := array(select distinct l.chain from unnest(v_chain) as l(chain) where l.chain <> all(v_written));
${passGates("v_awaited")}
  perform from ${s}.job j where j.id = any(v_awaited) order by j.id for share;
  -- A chain of the same batch counts from where it is written.
  select v_calls[l.start + 1] as call, l.chain as id,
    case when f.id is null or v_order[array_position(v_ids, l.chain)] >= v_order[l.start + 1] then 'chain-not-found'
      else 'job-type-mismatch' end as code,
    f.type_name as actual
  into v_bad
  from unnest(v_start, v_position, v_chain, v_type) as l(start, position, chain, type)
  left join ${s}.job f on ${isOne("f.id", "l.chain")} and f.chain_status is not null
  where f.id is null or f.type_name <> l.type or v_order[array_position(v_ids, l.chain)] >= v_order[l.start + 1]
  order by v_calls[l.start + 1], v_order[l.start + 1], l.position limit 1;
  if found then
    raise exception 'refused' using errcode = '${refusalState}', detail = json_build_object('n', v_bad.call, 'code', v_bad.code,
      'id', v_bad.id, 'actual', case v_bad.code when 'job-type-mismatch' then v_bad.actual end)::text;
  end if;
  insert into ${s}.blocker (job_id, position, chain_id, counted)
  select v_ids[l.start + 1], l.position, l.chain, f.chain_status <> 1
  from unnest(v_start, v_position, v_chain) as l(start, position, chain) join ${s}.job f on ${isOne("f.id", "l.chain")};
  update ${s}.open_job o set
    blockers_left = w.waits_for,
    state = case when w.waits_for > 0 then 2 when o.due_at > p_now then 1 else 0 end
  from (
    select v_ids[l.start + 1] as job_id, count(distinct l.chain) filter (where f.chain_status <> 1)::integer as waits_for
    from unnest(v_start, v_chain) as l(start, chain) join ${s}.job f on ${isOne("f.id", "l.chain")}
    group by l.start) w
  where ${isOne("o.job_id", "w.job_id")};
  -- Only a chain that others may wait for already can close a ring.
  for v_call in select distinct v_calls[l.start + 1] from unnest(v_start) as l(start) where p_own[v_calls[l.start + 1] + 1] is not null
  loop
    v_cycle := ${s}.cycle_v1(p_own[v_call + 1]);
    if v_cycle is not null then
      raise exception 'refused' using errcode = '${refusalState}', detail = json_build_object('n', v_call, 'code', 'blocker-cycle',
        'id', p_own[v_call + 1], 'references', to_json(v_cycle))::text;
    end if;
  end loop;
  ${failOwn(s)}
  if v_job is not null then
    return query
    select ${factRow({ kind: "'failed'", n: "e.n", job_id: "e.job_id", chain_id: "e.chain_id", type_name: "e.type_name" })}
    from unnest(v_n, v_job, v_job_chain, v_job_type) as e(n, job_id, chain_id, type_name);
    select c.broken, c.broken_n into v_broken, v_broken_n
    from ${s}.close_v1(p_now, v_n, v_job, v_job_chain, v_job_type, array_fill(2::smallint, array[cardinality(v_n)]), null, null,
      v_errors, v_attempt, v_fence, null, null, v_cause, null) c;
    return query select * from ${s}.follow_v1(p_now, null, null, v_broken, v_broken_n);
  end if;`,
  });
}

/** Takes those of the jobs out of `open_job` that fail at once, because a chain that they wait for failed or was cancelled. */
const failOwn = (s: string) => `with own as (
    select distinct on (l.start) v_ids[l.start + 1] as job_id, v_calls[l.start + 1] as n, l.chain as cause,
      ${failureErrors("c", "p_now")} as errors
    from unnest(v_start, v_position, v_chain) as l(start, position, chain)
    join ${s}.job c on ${isOne("c.id", "l.chain")}
    join ${s}.job j on ${isOne("j.id", "v_ids[l.start + 1]")}
    where c.chain_status > 1 and j.on_failure = 0
    order by l.start, l.position),
  gone as (
    delete from ${s}.open_job o using own w where ${isOne("o.job_id", "w.job_id")}
    returning w.n, w.cause, w.errors, o.job_id, o.chain_id, o.type_name, o.attempt, o.fence)
  select array_agg(g.n), array_agg(g.job_id), array_agg(g.chain_id), array_agg(g.type_name), array_agg(g.errors),
    array_agg(g.attempt), array_agg(g.fence), array_agg(g.cause)
  into v_n, v_job, v_job_chain, v_job_type, v_errors, v_attempt, v_fence, v_cause
  from gone g;`;

/**
 * The ids of the chains on the way from a chain over its open step's blockers back to itself; null: there is no such way.
 * Locks the first rows of the chains it comes by, shared: two steps that would close a ring together meet on one of them,
 * because each has locked its own chain's for itself.
 */
export function cycleFunction(schema: Schema): string {
  const { quoted: s } = schema;
  const blockersOf = (chain: string) => `lateral (
      select l.id from (
        (select j.id, j.step from ${s}.job j where j.chain_id = ${chain} and j.step > 1 order by j.step desc limit 1)
        union all select ${chain}, 1) l
      order by l.step desc limit 1) l
    join ${s}.blocker b on ${isOne("b.job_id", "l.id")}
    join ${s}.job f on ${isOne("f.id", "b.chain_id")} and f.chain_status <> 1`;
  return innerFunction(schema, {
    name: "cycle_v1",
    parameters: "p_chain uuid",
    returns: "uuid[]",
    declare: `  v_seen uuid[] := '{}';
  v_edge uuid[] := array[p_chain];`,
    body: `  loop
    select array_agg(distinct b.chain_id) into v_edge
    from unnest(v_edge) as e(id), ${blockersOf("e.id")}
    where b.chain_id <> all(v_seen);
    if v_edge is null then
      return null;
    end if;
    exit when p_chain = any(v_edge);
    perform from ${s}.job j where j.id = any(v_edge) order by j.id for share;
    v_seen := v_seen || v_edge;
  end loop;
  return (
    with recursive way(at, path) as (
      select p_chain, array[p_chain]
      union all
      select b.chain_id, w.path || b.chain_id
      from way w, ${blockersOf("w.at")}
      where (cardinality(w.path) = 1 or w.at <> p_chain) and (b.chain_id = p_chain or b.chain_id <> all(w.path)))
    select w.path from way w where w.at = p_chain and cardinality(w.path) > 1 order by cardinality(w.path) limit 1);`,
  });
}
