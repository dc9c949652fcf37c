import { claimNameOf } from "../claim-names.ts";
import type { Schema } from "../schema.ts";
import { resultColumns, resultRow } from "../result-rows.ts";
import { laneColumns } from "../limits/stored-limits.ts";
import { failureErrors } from "./failure-errors.ts";
import { innerFunction } from "../sql-function.ts";

/** What a job's blockers are now: how many chains have not completed, and which are broken. Locks the chains, so that none ends unseen. */
export function blockerStatesFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "blocker_states_v1",
    parameters: "p_job uuid, out open_chains integer, out broken uuid[], out has_blockers boolean",
    returns: "record",
    declare: "",
    body: `  perform from ${s}.job f
  where f.id = any(array(select b.chain_id from ${s}.blocker b where b.job_id = p_job))
  order by f.id for share;
  select count(*) filter (where c.chain_status <> 1), array_agg(c.chain_id order by c.position) filter (where c.chain_status > 1),
    count(*) > 0
  into open_chains, broken, has_blockers
  from (
    select b.chain_id, f.chain_status, min(b.position) as position
    from ${s}.blocker b join ${s}.job f on f.id = any(array[b.chain_id]) where b.job_id = p_job
    group by b.chain_id, f.chain_status) c;`,
  });
}

/** Takes a chain's deduplication key again if its window has not passed. Returns the chain that holds it if that is another one. */
export function retakeKeyFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "retake_key_v1",
    parameters: "p_now double precision, p_chain uuid",
    returns: "uuid",
    declare: `  v_chain ${s}.job%rowtype;
  v_holder uuid;`,
    body: `  select * into v_chain from ${s}.job f where f.id = p_chain;
  if v_chain.key is null or v_chain.key_scope > 1 or v_chain.key_until <= p_now then
    return null;
  end if;
  loop
    insert into ${s}.deduplication (key, chain_id, scope, until)
    values (v_chain.key, p_chain, v_chain.key_scope, v_chain.key_until) on conflict (key) do nothing;
    exit when found;
    update ${s}.deduplication d set chain_id = p_chain, scope = v_chain.key_scope, until = v_chain.key_until
    where d.key = v_chain.key and d.until <= p_now;
    exit when found;
    select d.chain_id into v_holder from ${s}.deduplication d where d.key = v_chain.key;
    if found then
      return nullif(v_holder, p_chain);
    end if;
  end loop;
  return null;`,
  });
}

/** Rule "reopen": the job at which a chain failed or was cancelled is open again, and the chain is active again. */
export function reopenFunction(schema: Schema): string {
  const { quoted: s, positions } = schema;
  return innerFunction(schema, {
    name: "reopen_v1",
    parameters:
      "p_now double precision, p_job uuid, p_open_chains integer, p_has_blockers boolean, p_due_at double precision",
    returns: "void",
    declare: `  v_job ${s}.job%rowtype;
  v_waits boolean;
  v_on_end boolean;`,
    body: `  select * into v_job from ${s}.job j where j.id = p_job;
${waitsAgain(s)}
  insert into ${s}.open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, fence, blockers_left, state, rank,
    has_blockers, type_name, waits, noted, lane, lane_weight, lane_holds)
  values (v_job.id, v_job.chain_id, v_job.position, p_due_at, 0, v_job.step, 0, v_job.fence, p_open_chains,
    case when p_open_chains > 0 or v_waits and v_job.due_at is null then 2 when p_due_at > p_now or v_job.limits is not null then 1 else 0 end, ~v_job.priority, p_has_blockers,
    ${claimNameOf("v_job")}, v_waits, (select true from ${s}.memo m where m.job_id = p_job limit 1), ${laneColumns("v_job.limits")});
  insert into ${s}.tally_change (n, type_name, status, count) values (nextval(${positions}), v_job.type_name, v_job.status, -1);
  delete from ${s}.stopped k where k.job_id = p_job;
  delete from ${s}.failure k where k.chain_id = v_job.chain_id;
  -- Retention may have passed the chain already. The sum keeps the planner from the index by kinds.
  delete from ${s}.expiry x where x.chain_id = v_job.chain_id and x.kind + 0 = 2;
  insert into ${s}.expiry (chain_id, kind, since) values (v_job.chain_id, 1, p_now)
  on conflict (chain_id, kind) do update set since = excluded.since;
  delete from ${s}.release r where r.chain_id = v_job.chain_id;
  -- The job no longer waits for chains that have completed, even if their release has not reached it yet.
  update ${s}.blocker b set counted = false
  from ${s}.job f where b.job_id = p_job and b.counted and f.id = any(array[b.chain_id]) and f.chain_status = 1;
  update ${s}.job j set status = 0, attempt = 0, started_at = null, ended_at = null, ended_by = null, failed_by = null
  where j.id = p_job;
  update ${s}.job f set chain_status = 0, ended_job_id = null, reason = null where f.id = v_job.chain_id
  returning f.on_end into v_on_end;
  if v_on_end or p_has_blockers then
    perform ${s}.reopen_ends_v1(p_job, v_job.chain_id, v_job.step);
  end if;
  if v_waits then
    perform ${s}.lock_topics_v1(array(select json_array_elements_text(v_job.waits::json->'topics')), false, false);
    perform ${s}.begin_wait_v1(p_now, p_job);
  end if;`,
  });
}

/** A job that has not received enough waits again, unless the time of its wait is over. */
function waitsAgain(s: string): string {
  return `  if v_job.waits is not null then
    v_waits := coalesce(v_job.due_at > p_now, true) and not ${s}.ends_wait_v1(v_job.waits::json,
      array(select r.signal->>'signal' from json_array_elements(v_job.received::json) with ordinality as r(signal, n) order by r.n));
    p_due_at := case when v_waits then coalesce(v_job.due_at, p_due_at) else p_due_at end;
  end if;`;
}

/**
 * Rule "reopen", upwards: jobs that failed because of a chain that is active again are blocked again, and so are the jobs that
 * failed because of their chains. A job stays failed if another of its blockers is broken, which is the cause from now on, if another
 * chain holds its chain's deduplication key, or if a chain that was started because its chain had stopped has begun.
 */
export function reblockFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "reblock_v1",
    parameters: "p_now double precision, p_chain uuid, p_n integer",
    returns: `table(${resultColumns})`,
    declare: `  v_chains uuid[] := array[p_chain];
  v_next uuid[];
  v_stopped record;
  v_on_end boolean;
  v_job record;
  v_waits record;`,
    body: `  while v_chains is not null loop
    v_next := null;
    for v_stopped in
      select j.id, j.chain_id
      from ${s}.job j
      where j.id = any(array(select b.job_id from ${s}.blocker b where b.chain_id = any(v_chains)))
        and j.status = 2 and j.failed_by = any(v_chains)
      order by j.id
    loop
      select f.on_end into v_on_end from ${s}.job f where f.id = v_stopped.chain_id for no key update;
      -- Look again: the job may have been deleted or retried before its chain was locked.
      select j.id, j.chain_id, j.type_name, j.due_at, j.ended_at into v_job
      from ${s}.job j where j.id = v_stopped.id and j.status = 2 and j.failed_by = any(v_chains);
      continue when not found;
      select * into v_waits from ${s}.blocker_states_v1(v_job.id);
      if v_waits.broken is not null then
        update ${s}.job j set failed_by = f.id, errors = ${failureErrors("f", "v_job.ended_at")}
        from ${s}.job f where j.id = v_job.id and f.id = v_waits.broken[1];
        continue;
      end if;
      if v_on_end then
        continue when ${s}.begun_follow_ups_v1(v_job.chain_id) <> '{}';
      end if;
      continue when ${s}.retake_key_v1(p_now, v_job.chain_id) is not null;
      perform ${s}.reopen_v1(p_now, v_job.id, v_waits.open_chains, true, greatest(p_now, v_job.due_at));
      v_next := v_next || v_job.chain_id;
      if v_on_end then
        return query select * from ${s}.withdraw_follow_ups_v1(p_now, v_job.chain_id, p_n);
      end if;
      return query select ${resultRow("reblocked", {
        n: "p_n",
        jobId: "v_job.id",
        chainId: "v_job.chain_id",
        typeName: "v_job.type_name::text",
      })};
    end loop;
    v_chains := v_next;
  end loop;`,
  });
}
