import { blockerFailureErrors } from "chainwright";
import { isOne } from "./is-one.ts";
import { wholeMs } from "../rows.ts";
import { literal } from "../schema.ts";
import type { Schema } from "../schema.ts";
import { factColumns, factRow } from "./fact-row.ts";
import { innerFunction } from "./function.ts";

/**
 * What the ends of chains bring about: jobs that waited for completed ones are counted down under their own row lock, jobs
 * that waited for broken ones fail unless they choose to wait, and so on upwards.
 */
export function followFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "follow_v1",
    parameters:
      "p_now double precision, p_completed uuid[], p_completed_n integer[], p_broken uuid[], p_broken_n integer[]",
    returns: `table(${factColumns})`,
    declare: `  v_broken uuid[] := p_broken;
  v_broken_n integer[] := p_broken_n;
  v_n integer[];
  v_job uuid[];
  v_chain uuid[];
  v_type text[];
  v_errors text[];
  v_attempt integer[];
  v_fence integer[];
  v_cause uuid[];`,
    body: `  if p_completed is not null then
    return query
    with ended as (
      select * from unnest(p_completed, p_completed_n) as e(chain_id, n)),
    waiting as (
      select b.job_id, count(distinct b.chain_id)::integer as chains, max(e.n) as n
      from ended e join ${s}.blocker b on ${isOne("b.chain_id", "e.chain_id")}
      group by b.job_id order by b.job_id),
    counted as (
      update ${s}.open_job o set
        blockers_left = o.blockers_left - w.chains,
        state = case when o.blockers_left > w.chains then 2 when o.due_at > p_now then 1 else 0 end,
        due_at = case when o.blockers_left > w.chains then o.due_at else greatest(o.due_at, p_now) end
      from waiting w where ${isOne("o.job_id", "w.job_id")} and o.state = 2
      returning w.n, o.job_id, o.chain_id, o.type_name, o.state, o.due_at)
    select ${factRow({
      kind: "'unblocked'",
      n: "c.n",
      job_id: "c.job_id",
      chain_id: "c.chain_id",
      type_name: "c.type_name",
      wait: "c.due_at - p_now",
      status: "case c.state when 1 then 'scheduled' else 'ready' end",
    })}
    from counted c where c.state <> 2 order by c.job_id;
  end if;
  while v_broken is not null loop
    with causes as (
      select c.chain_id, c.n, f.type_name, f.chain_status
      from unnest(v_broken, v_broken_n) as c(chain_id, n) join ${s}.job f on ${isOne("f.id", "c.chain_id")}),
    waiting as (
      select distinct on (b.job_id) b.job_id, c.n, c.chain_id as cause, ${failureErrors("c", "p_now")} as errors
      from causes c
      join ${s}.blocker b on ${isOne("b.chain_id", "c.chain_id")}
      join ${s}.job j on ${isOne("j.id", "b.job_id")}
      where j.status = 0 and j.on_failure = 0
      order by b.job_id, b.position),
    gone as (
      delete from ${s}.open_job o using waiting w where ${isOne("o.job_id", "w.job_id")} and o.state = 2
      returning w.n, w.cause, w.errors, o.job_id, o.chain_id, o.type_name, o.attempt, o.fence)
    select array_agg(g.n), array_agg(g.job_id), array_agg(g.chain_id), array_agg(g.type_name), array_agg(g.errors),
      array_agg(g.attempt), array_agg(g.fence), array_agg(g.cause)
    into v_n, v_job, v_chain, v_type, v_errors, v_attempt, v_fence, v_cause
    from gone g;
    exit when v_n is null;
    return query
    select ${factRow({ kind: "'failed'", n: "e.n", job_id: "e.job_id", chain_id: "e.chain_id", type_name: "e.type_name" })}
    from unnest(v_n, v_job, v_chain, v_type) as e(n, job_id, chain_id, type_name);
    select c.broken, c.broken_n into v_broken, v_broken_n
    from ${s}.close_v1(p_now, v_n, v_job, v_chain, v_type, array_fill(2::smallint, array[cardinality(v_n)]), null, null,
      v_errors, v_attempt, v_fence, null, null, v_cause, null) c;
  end loop;`,
  });
}

/** As {@link blockerFailureErrors} writes them, of a row with `chain_id`, `type_name` and `chain_status`. */
export function failureErrors(cause: string, at: string): string {
  const [chainId, typeName, moment] = ["\u{1}chain", "\u{1}type", -1];
  const template = (status: "failed" | "cancelled") =>
    literal(blockerFailureErrors({ chainId, typeName, status, at: moment }));
  const escape = (text: string) => literal(JSON.stringify(text).slice(1, -1));
  // The type's name last: it may hold anything, also what stands for the others.
  return `replace(replace(replace(case ${cause}.chain_status when 2 then ${template("failed")} else ${template("cancelled")} end,
        ${literal(String(moment))}, ${wholeMs(at)}::text), ${escape(chainId)}, ${cause}.chain_id::text),
        ${escape(typeName)}, substr(to_json(${cause}.type_name)::text, 2, length(to_json(${cause}.type_name)::text) - 2))`;
}
