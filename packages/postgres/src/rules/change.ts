import { claimNameOf } from "../claim-names.ts";
import { resultColumns, resultRow } from "../result-rows.ts";
import type { Schema } from "../schema.ts";
import { guard, now, outerFunction, refusalState } from "../sql-function.ts";
import { writtenStatus } from "./begin.ts";

/**
 * Rule "retry": failed and cancelled chains are active again, from the job where they stopped, and so are the chains that failed
 * because of them (`reblock_v1`). It is refused while another chain holds the deduplication key, while a blocker is broken and
 * the job does not choose to wait for it, or if a chain has begun that was started because this one had stopped. All or nothing.
 */
export function retryFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "retry_v1",
    parameters: "p_alone text, p_now text, p_items text",
    returns: `table(${resultColumns})`,
    declare: `  v_now double precision := ${now};
  v_item record;
  v_first ${s}.job%rowtype;
  v_last ${s}.job%rowtype;
  v_holder uuid;
  v_waits record;
  v_jobs uuid[] := '{}';
  v_was text[] := '{}';
  v_blocked boolean[] := '{}';
  v_begun uuid[];
  v_refusal text;`,
    body: `${guard}
  begin
    perform from ${s}.job f where f.id = any(array(select i.chain from ${items})) order by f.id for no key update;
${reopenChains(s)}
${reblockJobs(s)}
${refuseBrokenBlockers(s)}
  exception when sqlstate '${refusalState}' then
    get stacked diagnostics v_refusal = pg_exception_detail;
  end;
  if v_refusal is not null then
    return query select ${resultRow("refused", { n: "null", refusal: "v_refusal" })};
  end if;`,
  });
}

/** The items of a retry. `version` and `limits` are those of the input; null is version 1, and no limits. */
const items =
  "json_to_recordset(p_items::json) as i(n integer, chain uuid, input text, type text, version smallint, limits json)";

function reopenChains(s: string): string {
  return `    -- Reopen all of them before looking at blockers, because one may have failed because of another one of the call.
    for v_item in select * from ${items} order by i.n loop
      -- Make the chain active again, whatever its blockers are.
      select * into v_first from ${s}.job f where f.id = v_item.chain and f.chain_status is not null;
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
      if v_first.on_end then
        v_begun := ${s}.begun_follow_ups_v1(v_first.id);
        if v_begun <> '{}' then
          ${refuse("chain-not-retryable", "'actual', v_was[v_item.n + 1], 'references', to_json(v_begun)")}
        end if;
      end if;
      select * into v_waits from ${s}.blocker_states_v1(v_last.id);
      if v_item.input is not null then
        update ${s}.job j set input = v_item.input, version = nullif(v_item.version, 1), limits = v_item.limits::text where j.id = v_last.id;
      end if;
      perform ${s}.reopen_v1(v_now, v_last.id, v_waits.open_chains, v_waits.has_blockers, v_now);
      if v_first.on_end then
        return query select * from ${s}.withdraw_follow_ups_v1(v_now, v_first.id, v_item.n);
      end if;
      v_jobs := v_jobs || v_last.id;
      v_blocked := v_blocked || (v_waits.open_chains > 0);
    end loop;`;
}

/** Reports each retried job, and blocks the jobs again that failed because of its chain. */
function reblockJobs(s: string): string {
  return `    for v_item in select * from ${items} order by i.n loop
      select * into v_last from ${s}.job j where j.id = v_jobs[v_item.n + 1];
      return query select ${resultRow("retried", {
        n: "v_item.n",
        jobId: "v_last.id",
        chainId: "v_item.chain",
        typeName: "v_last.type_name::text",
        status: `case when v_blocked[v_item.n + 1] then 'blocked' when v_last.waits is null then 'ready'
          else (select ${writtenStatus("v_now")} from ${s}.open_job o where o.job_id = v_last.id) end`,
        dueInMs: `case when v_last.waits is not null then (
          select o.due_at - v_now from ${s}.open_job o where o.job_id = v_last.id and o.state + 0 = 1 and o.waits) end`,
        claimName: claimNameOf("v_last"),
      })};
      return query select * from ${s}.reblock_v1(v_now, v_item.chain, v_item.n);
    end loop;`;
}

function refuseBrokenBlockers(s: string): string {
  return `    for v_item in select * from ${items} order by i.n loop
      select * into v_last from ${s}.job j where j.id = v_jobs[v_item.n + 1];
      continue when v_last.on_blocker_failure <> 0 or not v_blocked[v_item.n + 1];
      select * into v_waits from ${s}.blocker_states_v1(v_last.id);
      if v_waits.broken is not null then
        ${refuse("chain-not-retryable", "'actual', v_was[v_item.n + 1], 'references', (select json_agg(b order by b) from unnest(v_waits.broken) b)")}
      end if;
    end loop;`;
}

/** Refuses a retry. */
function refuse(code: string, more: string): string {
  return `raise exception 'refused' using errcode = '${refusalState}', detail = json_build_object('code', '${code}',
          'id', v_item.chain, ${more})::text;`;
}

/**
 * Rule "remove": chains are deleted with their jobs. It is refused while jobs of other chains wait for one of them; with
 * `p_cascade` those chains are deleted too, and so on upwards. All or nothing.
 *
 * What was read is read again once it is locked, because chains continue, end and are retried between the two. No more jobs can
 * start to wait for a locked chain, because that needs its first row, but fewer can be waiting.
 */
export function removeFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "remove_v1",
    parameters: "p_alone text, p_now text, p_chains text, p_cascade text",
    returns: `table(${resultColumns})`,
    declare: `  v_chains uuid[] := array(
    select e.id::uuid from json_array_elements_text(p_chains::json) with ordinality as e(id, n) order by e.n);
  v_edge uuid[];
  v_next uuid[];
  v_bad record;`,
    body: `${guard}
  v_edge := ${s}.hold_chains_v1(v_chains);
  select c.id into v_bad from unnest(v_chains) with ordinality as c(id, n) where c.id <> all(v_edge) order by c.n limit 1;
  if found then
    return query select ${resultRow("refused", {
      n: "null",
      refusal: "json_build_object('code', 'chain-not-found', 'id', v_bad.id)::text",
    })};
    return;
  end if;
  loop
    v_next := array(${dependents(s, "any(v_edge)")} and j.chain_id <> all(v_chains));
    exit when v_next = '{}';
    if p_cascade is null then
      select e.id, (
        select json_agg(r.chain_id) from (${dependents(s, "any(array[e.id])")} and j.chain_id <> all(v_chains) order by j.nth, j.chain_id limit 100) r) as chains
      into v_bad
      from unnest(v_chains) with ordinality as e(id, n)
      where exists (${dependents(s, "any(array[e.id])")} and j.chain_id <> all(v_chains))
      order by e.n limit 1;
      return query select ${resultRow("refused", {
        n: "null",
        refusal: "json_build_object('code', 'chain-referenced', 'id', v_bad.id, 'references', v_bad.chains)::text",
      })};
      return;
    end if;
    v_next := ${s}.hold_chains_v1(v_next);
    v_edge := array(${dependents(s, "any(v_edge)")} and j.chain_id = any(v_next));
    v_chains := v_chains || v_edge;
  end loop;
  return query
  select ${resultRow("removed", { chainId: "f.id", typeName: "f.type_name" })}
  from unnest(v_chains) with ordinality as c(id, n) join ${s}.job f on f.id = any(array[c.id])
  order by c.n;
  return query
  select ${resultRow("interrupted", { jobId: "d.job_id", chainId: "d.chain_id", workerId: "d.worker_id" })}
  from ${s}.delete_chains_v1(v_chains) d;`,
  });
}

/**
 * A query for the chains with a job that waits for one of the given chains, or that failed or was cancelled while it waited, and for
 * the active chains that were started because one of the given chains has stopped.
 */
function dependents(s: string, chains: string): string {
  return `select j.chain_id from (
        select d.chain_id, min(d.nth) as nth from (
          select j.chain_id, 0 as nth from ${s}.blocker b join ${s}.job j on j.id = any(array[b.job_id])
          where b.chain_id = ${chains} and j.status <> 1
          union all select x.id, x.position from ${s}.compensation c join ${s}.job x on x.id = any(array[c.follower])
          where c.chain_id = ${chains} and x.chain_status = 0) d
        group by d.chain_id) j
      where true`;
}
