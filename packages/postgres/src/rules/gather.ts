import { poolOf, typeOf, versionOf } from "../claim-names.ts";
import { leavesLane } from "../limits/give-back.ts";
import { laneColumns } from "../limits/stored-limits.ts";
import type { Schema } from "../schema.ts";
import { noteEnds } from "../ends/note-ends.ts";
import { innerFunction, refusalState } from "../sql-function.ts";
import { startRecord } from "./begin.ts";

/**
 * Rule "gather": begins the starts with `debounce` (scope 2) and `throttle` (scope 3), or puts them into the chain that holds their
 * key, if no worker has ever claimed it. `announced` is set by start where it has replaced the input of a chain: whether workers
 * have to hear of it.
 *
 * Starts with the same key wait for each other, by the row of the key, until their transactions end: so each sees what the one
 * before it has made of the chain. No claim, settle or upkeep waits for this row. The job of the chain is locked only if it is
 * free. If a claim or another change has it locked, the start begins a chain of its own.
 */
export function gatherFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "gather_v1",
    parameters:
      "p_now double precision, p_starts jsonb, p_skip integer[], inout live boolean[], inout chains uuid[], out announced boolean[]",
    returns: "record",
    declare: `  v_start record;
  v_holder uuid;
  v_held_until double precision;
  v_job uuid;
  v_was_due double precision;
  v_was_state smallint;
  v_was_named text;
  v_created double precision;
  v_due double precision;
  v_until double precision;`,
    body: `  -- In the order of the keys, so that two batches that share keys wait for each other in one direction only.
  for v_start in
    select i.*, i.key || case i.scope when 2 then 'debounce' else 'throttle' end as held
    from jsonb_to_recordset(p_starts) as i(${startRecord}, quiet double precision, ends json)
    where i.scope > 1 and i.call <> all(p_skip)
    order by i.key, i.scope, i.n
  loop
${takeKey(s)}
${findWaitingJob(s)}
    if v_job is not null then
${replaceInput(s)}
    else
${beginChain(schema)}
    end if;
  end loop;`,
  });
}

function takeKey(s: string): string {
  return `    v_holder := null;
    v_held_until := null;
    loop
      -- Waits for an uncommitted transaction that took the key. If it rolls back, this start gets the key.
      insert into ${s}.deduplication (key, chain_id, scope, until)
      values (v_start.held, v_start.id, v_start.scope, p_now + v_start."window")
      on conflict (key) do nothing;
      exit when found;
      select d.chain_id, d.until into v_holder, v_held_until from ${s}.deduplication d where d.key = v_start.held for update;
      exit when found;
    end loop;
    if v_held_until <= p_now then
      v_holder := null;
    end if;`;
}

/**
 * A throttled chain that was due when it was created is the first one in its window, and keeps its input. Another chain that holds the
 * key cannot be deleted before the transaction ends: retention passes it by, and does not wait for the row of the key.
 */
function findWaitingJob(s: string): string {
  return `    v_job := null;
    if v_holder is not null then
      select o.job_id, o.due_at, o.state, o.type_name, j.created_at into v_job, v_was_due, v_was_state, v_was_named, v_created
      from ${s}.open_job o join ${s}.job j on j.id = any(array[o.job_id])
      where o.job_id = v_holder and o.fence = 0 and o.state <> 2 and (v_start.scope = 2 or o.due_at > j.created_at)
      for update of o skip locked;
      if v_job is null then
        perform from ${s}.job f where f.id = v_holder for key share skip locked;
      end if;
    end if;`;
}

/**
 * A job that is due and that no claim has made ready stays a scheduled one: a claim finds it by its moment. Its position may be before
 * the places where claims begin to look for ready jobs.
 */
function replaceInput(s: string): string {
  return `      v_due := v_was_due;
      v_until := v_held_until;
      if v_start.scope = 2 then
        v_until := v_created + v_start."window";
        v_due := least(p_now + v_start.quiet, v_until);
        -- A chain that had to be due before now is due already. Claims do not look for jobs that were due long before they began.
        if v_due <= p_now then
          v_due := case when v_start.limits is not null and v_was_state <> 1 then p_now else least(v_was_due, p_now) end;
        end if;
        update ${s}.deduplication d set until = p_now + v_start."window" where d.key = v_start.held;
      end if;
      perform ${leavesLane(s)} from ${s}.open_job o where o.job_id = v_job and o.state = 3;
      update ${s}.open_job o set
        due_at = v_due, state = case when v_start.limits is not null or v_due > p_now or v_was_state = 1 then 1 else 0 end, rank = ~v_start.priority,
        type_name = v_start.type, (lane, lane_weight, lane_holds) = (select ${laneColumns("v_start.limits")})
      where o.job_id = v_job;
      update ${s}.job j set
        input = v_start.input, version = ${versionOf("v_start.type")}, pool = ${poolOf("v_start.type")},
        priority = v_start.priority, context = v_start.context, key_until = v_until,
        limits = v_start.limits::text
      where j.id = v_job;
      chains[v_start.n + 1] := v_job;
      announced[v_start.n + 1] := v_due < v_was_due or v_was_named <> v_start.type;`;
}

function beginChain({ quoted: s, positions }: Schema): string {
  return `      v_due := case when v_start.scope = 2 then p_now + v_start.quiet when v_holder is not null then v_held_until else p_now end;
      v_until := case when v_start.scope = 2 then p_now else v_due end + v_start."window";
      insert into ${s}.job (id, chain_id, step, type_name, priority, on_blocker_failure, status, chain_status, attempt, position,
        created_at, key, key_scope, key_until, tags, input, context, version, pool, limits, on_end)
      values (v_start.id, v_start.id, 1, ${typeOf("v_start.type")}, v_start.priority, coalesce(v_start.wait, 0), 0, 0, 0,
        nextval(${positions}), p_now, v_start.key, v_start.scope, v_until, v_start.tags::text, v_start.input, v_start.context,
        ${versionOf("v_start.type")}, ${poolOf("v_start.type")}, v_start.limits::text,
        case when v_start.ends is not null then true end)
      on conflict (id) do nothing;
      if not found then
        raise exception 'refused' using errcode = '${refusalState}',
          detail = json_build_object('n', v_start.call, 'code', 'duplicate-id', 'id', v_start.id)::text;
      end if;
      insert into ${s}.open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, blockers_left, state, rank,
        has_blockers, type_name, lane, lane_weight, lane_holds, on_end)
      select j.id, j.id, j.position, v_due, 0, 1, 0, 0, case when v_start.limits is not null or v_due > p_now then 1 else 0 end,
        ~j.priority, false, v_start.type, ${laneColumns("v_start.limits")}, j.on_end
      from ${s}.job j where j.id = v_start.id;
      update ${s}.deduplication d set chain_id = v_start.id, until = v_until where d.key = v_start.held;
      if v_start.tags is not null then
        insert into ${s}.tag (name, value, chain_id)
        select t.key, t.value, v_start.id from jsonb_each_text(v_start.tags) t;
      end if;
      if v_start.ends is not null then
${noteEnds(s, "select v_start.id as id, v_start.ends as ends", "p_now")}
      end if;
      live[v_start.n + 1] := true;`;
}
