import { factColumns, factRow } from "../result-columns.ts";
import { jobStatus } from "../rows.ts";
import type { Schema } from "../schema.ts";
import { guard, nowOf, outerFunction, refusalState } from "../sql-function.ts";
import { closeGates } from "./gates.ts";

/** All of them end before anything follows: one that waits for another is cancelled like it, not failed by it. */
export function cancelFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "cancel_v1",
    parameters: "p_alone text, p_now text, p_items text",
    returns: `table(${factColumns})`,
    declare: `  v_now double precision := ${nowOf("p_now")};
  v_item record;
  v_found record;
  v_refusal text;
  v_refused integer;
  v_n integer[];
  v_job uuid[];
  v_reason text[];
  v_chain uuid[];
  v_type text[];
  v_attempt integer[];
  v_fence integer[];
  v_by text[];
  v_broken uuid[];
  v_broken_n integer[];`,
    body: `${guard("p_alone")}
  for v_item in
    select i.*, row_number() over (partition by i.chain order by i.n) as nth
    from json_to_recordset(p_items::json) as i(n integer, chain uuid, reason text)
    order by i.chain, i.n
  loop
    if v_item.nth = 1 then
      select f.job_id, f.refusal into v_found from ${s}.open_step_v1(v_item.chain, null) f;
    else
      select null::uuid as job_id, json_build_object('code', 'chain-not-active', 'id', v_item.chain, 'actual', 'cancelled')::text as refusal
      into v_found;
    end if;
    if v_found.refusal is null then
${closeGates("v_item.chain", "v_n")}
      v_n := v_n || v_item.n;
      v_job := v_job || v_found.job_id;
      v_reason := v_reason || v_item.reason;
    elsif v_refused is null or v_item.n < v_refused then
      v_refused := v_item.n;
      v_refusal := v_found.refusal;
    end if;
  end loop;
  if v_refusal is not null then
    return query select ${factRow({ kind: "'refused'", body: "v_refusal" })};
    return;
  end if;
  with gone as (
    delete from ${s}.open_job o using unnest(v_n, v_job, v_reason) as i(n, job_id, reason) where o.job_id = any(array[i.job_id])
    returning i.n, i.reason, o.job_id, o.chain_id, o.type_name, o.attempt, o.fence, o.leased_by)
  select array_agg(g.n), array_agg(g.job_id), array_agg(g.chain_id), array_agg(g.type_name), array_agg(g.attempt),
    array_agg(g.fence), array_agg(g.leased_by), array_agg(g.reason)
  into v_n, v_job, v_chain, v_type, v_attempt, v_fence, v_by, v_reason
  from gone g;
  select c.broken, c.broken_n into v_broken, v_broken_n
  from ${s}.end_v1(v_now, v_n, v_job, v_chain, v_type, array_fill(3::smallint, array[cardinality(v_n)]), null, null, null,
    v_attempt, v_fence, null, null, null, v_reason) c;
  return query
  select ${factRow({ kind: "'cancelled'", n: "c.n", job_id: "c.job_id", chain_id: "c.chain_id", type_name: "c.type_name", status: "c.leased_by" })}
  from unnest(v_n, v_job, v_chain, v_type, v_by) as c(n, job_id, chain_id, type_name, leased_by)
  order by c.n;
  if v_broken is not null then
    return query select * from ${s}.release_v1(v_now, null, null, v_broken, v_broken_n);
  end if;`,
  });
}

export function retryFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "retry_v1",
    parameters: "p_alone text, p_now text, p_items text",
    returns: `table(${factColumns})`,
    declare: `  v_now double precision := ${nowOf("p_now")};
  v_item record;
  v_first ${s}.job%rowtype;
  v_last ${s}.job%rowtype;
  v_holder uuid;
  v_waits record;
  v_jobs uuid[] := '{}';
  v_was text[] := '{}';
  v_blocked boolean[] := '{}';
  v_refusal text;`,
    body: `${guard("p_alone")}
  begin
    perform from ${s}.job f where f.id = any(array(select i.chain from ${items})) order by f.id for no key update;
    -- All of them go on before anything follows: one that failed because of another is retried like it, not in its way.
    for v_item in select * from ${items} order by i.n loop
${reopenOne(s)}
    end loop;
    for v_item in select * from ${items} order by i.n loop
      select * into v_last from ${s}.job j where j.id = v_jobs[v_item.n + 1];
      return query select ${factRow({
        kind: "'retried'",
        n: "v_item.n",
        job_id: "v_last.id",
        chain_id: "v_item.chain",
        type_name: "v_last.type_name::text",
        status: "case when v_blocked[v_item.n + 1] then 'blocked' else 'ready' end",
      })};
      return query select * from ${s}.reblock_v1(v_now, v_item.chain, v_item.n);
    end loop;
    for v_item in select * from ${items} order by i.n loop
      select * into v_last from ${s}.job j where j.id = v_jobs[v_item.n + 1];
      continue when v_last.on_failure <> 0 or not v_blocked[v_item.n + 1];
      select * into v_waits from ${s}.blocker_states_v1(v_last.id);
      if v_waits.broken is not null then
        ${refuse("chain-not-retryable", "'actual', v_was[v_item.n + 1], 'references', (select json_agg(b order by b) from unnest(v_waits.broken) b)")}
      end if;
    end loop;
  exception when sqlstate '${refusalState}' then
    get stacked diagnostics v_refusal = pg_exception_detail;
  end;
  if v_refusal is not null then
    return query select ${factRow({ kind: "'refused'", body: "v_refusal" })};
  end if;`,
  });
}

const items = "json_to_recordset(p_items::json) as i(n integer, chain uuid, input text, type text)";

/** Makes the chain of an item active again, whatever its blockers. */
function reopenOne(s: string): string {
  return `      select * into v_first from ${s}.job f where f.id = v_item.chain and f.chain_status is not null;
      if not found then
        ${refuse("chain-not-found", "'actual', null")}
      end if;
      v_was := v_was || (array['active', 'completed', 'failed', 'cancelled'])[v_first.chain_status + 1];
      if v_first.chain_status < 2 then
        ${refuse("chain-not-retryable", "'actual', v_was[v_item.n + 1]")}
      end if;
      select * into v_last from ${s}.job j where j.id = v_first.ended_job_id;
      if v_last.type_name <> v_item.type then
        ${refuse("job-type-mismatch", "'actual', v_last.type_name")}
      end if;
      v_holder := ${s}.retake_key_v1(v_now, v_first.id);
      if v_holder is not null then
        ${refuse("chain-not-retryable", "'actual', v_was[v_item.n + 1], 'references', json_build_array(v_holder)")}
      end if;
      select * into v_waits from ${s}.blocker_states_v1(v_last.id);
      perform ${s}.reopen_v1(v_now, v_last.id, v_waits.open_chains, v_waits.has_blockers, v_now);
      if v_item.input is not null then
        update ${s}.job j set input = v_item.input where j.id = v_last.id;
      end if;
      v_jobs := v_jobs || v_last.id;
      v_blocked := v_blocked || (v_waits.open_chains > 0);`;
}

function refuse(code: string, more: string): string {
  return `raise exception 'refused' using errcode = '${refusalState}', detail = json_build_object('code', '${code}',
          'id', v_item.chain, ${more})::text;`;
}

/**
 * What was looked at is looked at again once it is locked: chains move on, end and are retried between the two. Those that
 * wait for a chain that is held cannot become more, for they need its first row; they can become fewer.
 */
export function removeFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "remove_v1",
    parameters: "p_alone text, p_now text, p_chains text, p_cascade text",
    returns: `table(${factColumns})`,
    declare: `  v_chains uuid[] := array(
    select e.id::uuid from json_array_elements_text(p_chains::json) with ordinality as e(id, n) order by e.n);
  v_edge uuid[];
  v_next uuid[];
  v_bad record;`,
    body: `${guard("p_alone")}
  v_edge := ${s}.hold_chains_v1(v_chains);
  select c.id into v_bad from unnest(v_chains) with ordinality as c(id, n) where c.id <> all(v_edge) order by c.n limit 1;
  if found then
    return query select ${factRow({ kind: "'refused'", body: "json_build_object('code', 'chain-not-found', 'id', v_bad.id)::text" })};
    return;
  end if;
  loop
    v_next := array(${waiting(s, "any(v_edge)")} and j.chain_id <> all(v_chains));
    exit when v_next = '{}';
    if p_cascade is null then
      select e.id, (
        select json_agg(r.chain_id) from (${waiting(s, "any(array[e.id])")} and j.chain_id <> all(v_chains) order by j.chain_id limit 100) r) as chains
      into v_bad
      from unnest(v_chains) with ordinality as e(id, n)
      where exists (${waiting(s, "any(array[e.id])")} and j.chain_id <> all(v_chains))
      order by e.n limit 1;
      return query select ${factRow({
        kind: "'refused'",
        body: "json_build_object('code', 'chain-referenced', 'id', v_bad.id, 'references', v_bad.chains)::text",
      })};
      return;
    end if;
    v_next := ${s}.hold_chains_v1(v_next);
    v_edge := array(${waiting(s, "any(v_edge)")} and j.chain_id = any(v_next));
    v_chains := v_chains || v_edge;
  end loop;
  return query
  select ${factRow({ kind: "'removed'", chain_id: "f.id", type_name: "f.type_name" })}
  from unnest(v_chains) with ordinality as c(id, n) join ${s}.job f on f.id = any(array[c.id])
  order by c.n;
  return query
  select ${factRow({ kind: "'interrupted'", job_id: "d.job_id", chain_id: "d.chain_id", status: "d.worker_id" })}
  from ${s}.delete_chains_v1(v_chains) d;`,
  });
}

/** The chains with a job that waits for one of the given, or stopped while it did. */
function waiting(s: string, chains: string): string {
  return `select distinct j.chain_id from ${s}.blocker b join ${s}.job j on j.id = any(array[b.job_id])
      where b.chain_id = ${chains} and j.status <> 1`;
}

export function triggerFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "trigger_v1",
    parameters: "p_alone text, p_now text, p_jobs text",
    returns: `table(${factColumns})`,
    declare: `  v_now double precision := ${nowOf("p_now")};
  v_jobs uuid[] := array(select e.id::uuid from json_array_elements_text(p_jobs::json) with ordinality as e(id, n) order by e.n);
  v_bad record;`,
    body: `${guard("p_alone")}
  perform from ${s}.open_job o where o.job_id = any(v_jobs) order by o.job_id for update;
  select i.id, case when j.id is null then 'job-not-found' else 'job-not-scheduled' end as code, ${jobStatus("v_now")} as actual
  into v_bad
  from unnest(v_jobs) with ordinality as i(id, n)
  left join ${s}.job j on j.id = any(array[i.id])
  left join ${s}.open_job o on o.job_id = any(array[i.id])
  where j.id is null or ${jobStatus("v_now")} <> 'scheduled'
  order by i.n limit 1;
  if found then
    return query select ${factRow({
      kind: "'refused'",
      body: `json_build_object('id', v_bad.id, 'code', v_bad.code,
        'actual', case v_bad.code when 'job-not-scheduled' then v_bad.actual end)::text`,
    })};
    return;
  end if;
  update ${s}.open_job o set state = 0, due_at = v_now where o.job_id = any(v_jobs);
  return query
  select ${factRow({ kind: "'triggered'", job_id: "j.id", chain_id: "j.chain_id", type_name: "j.type_name" })}
  from unnest(v_jobs) with ordinality as i(id, n) join ${s}.job j on j.id = any(array[i.id])
  order by i.n;`,
  });
}
