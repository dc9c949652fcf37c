import { spendsNotes } from "../notes/spent.ts";
import { assignOutput, type NamesRead, type OutputsRead } from "../claim-names.ts";
import { givesBack } from "../limits/give-back.ts";
import type { Schema } from "../schema.ts";
import { resultColumns, resultRow, returnRow } from "../result-rows.ts";
import { closeGate } from "./gates.ts";
import { guard, keyFunction, now, seesThePast } from "../sql-function.ts";

/*
 * One outcome by itself, which is what a call inside a caller's transaction mostly settles. Statements over arrays cost more to
 * start than these few statements cost in total: without them a job that settles in a transaction of its own takes 62 % more
 * CPU of client and server, and a job in a chain of three such steps 29 % more. What few jobs need is asked in one condition, because
 * each takes 2,000 instructions, and a call in a `returning` that is not made 5,000.
 */

/** Rule "settle" and rule "end" for one outcome that ends a job and its chain: see `try_settle_ends_v1` and `end_v1`. */
export function settleOneFunction(schema: Schema, outputs: OutputsRead): string {
  const { quoted: s, positions } = schema;
  return keyFunction(schema, {
    name: `settle_one${outputs.suffix}_v1`,
    parameters: `p_alone text, p_now text, p_job text, p_worker text, p_fence text, p_status text, p_output text, p_errors text`,
    returns: `table(${resultColumns})`,
    declare: `  v_now double precision := ${now};
  v_job uuid := p_job::uuid;
  v_open record;
  v_chain record;
  v_type text;
  v_reason text;
  v_status smallint := p_status::smallint;
  v_awaited boolean;`,
    body: `${guard}
  delete from ${s}.open_job o
  where o.job_id = v_job and o.leased_by = p_worker and o.fence = p_fence::integer
  returning o.chain_id, o.step, o.attempt, o.fence, o.started_at, o.on_end, ${closeGate("o.chain_id")}, o.lane, o.noted into v_open;
${returnLost(s)}
${leaveMore(s)}
  if v_open.chain_id = v_job then
    update ${s}.job j set
      status = v_status, ${assignOutput(outputs, "p_output")}, errors = coalesce(p_errors, j.errors), attempt = v_open.attempt,
      fence = v_open.fence, started_at = v_open.started_at, ended_at = v_now, ended_by = p_worker,
      chain_status = v_status, ended_job_id = v_job
    where j.id = v_job
    returning j.key, j.key_scope, j.awaited or j.signals is not null as awaited, j.type_name into v_chain;
  else
    update ${s}.job j set
      status = v_status, ${assignOutput(outputs, "p_output")}, errors = coalesce(p_errors, j.errors), attempt = v_open.attempt,
      fence = v_open.fence, started_at = v_open.started_at, ended_at = v_now, ended_by = p_worker
    where j.id = v_job
    returning j.type_name into v_type;
    update ${s}.job j set chain_status = v_status, ended_job_id = v_job where j.id = v_open.chain_id
    returning j.key, j.key_scope, j.awaited or j.signals is not null as awaited, v_type as type_name into v_chain;
  end if;
  -- The chain's row is locked by now, so all jobs that wait for it are visible.
  insert into ${s}.tally_change (n, type_name, status, count) values (nextval(${positions}), v_chain.type_name, v_status, 1)
  returning ${seesThePast} or v_chain.awaited or exists (select from ${s}.blocker b where b.chain_id = v_open.chain_id) into v_awaited;
${returnSettled("v_chain.type_name")}
  if v_status > 1 or v_chain.key_scope = 0 or v_open.on_end or v_awaited then
    if v_status > 1 then
      perform ${s}.note_stopped_v1(v_now, array[v_job], array[v_open.chain_id], array[v_status]);
    end if;
    if v_chain.key_scope = 0 then
      delete from ${s}.deduplication d where d.key = v_chain.key and d.chain_id = v_open.chain_id;
    end if;
    if v_open.on_end then
      return query select * from ${s}.follow_ends_v1(v_now, array[0], array[v_job], null);
    end if;
    if v_awaited then
      return query select * from ${s}.release_v1(v_now,
        case when v_status = 1 then array[v_open.chain_id] end, array[0],
        case when v_status = 2 then array[v_open.chain_id] end, array[0]);
    end if;
  end if;`,
  });
}

/** Rule "settle" for one continuation without blockers: see `try_settle_ends_v1`. `p_type` is a claim name. */
export function continueOneFunction(schema: Schema, names: NamesRead): string {
  const { quoted: s, positions } = schema;
  return keyFunction(schema, {
    name: `continue_one${names.suffix}_v1`,
    parameters: `p_alone text, p_now text, p_job text, p_worker text, p_fence text, p_id text, p_type text, p_input text, p_priority text,
  p_at text, p_after text, p_wait text, p_context text`,
    returns: `table(${resultColumns})`,
    declare: `  v_now double precision := ${now};
  v_job uuid := p_job::uuid;
  v_open record;
  v_type text;
  v_reason text;
  v_due double precision := greatest(v_now, coalesce(p_at::double precision, v_now + p_after::double precision, v_now));
  v_id uuid := p_id::uuid;
  v_position bigint := nextval(${positions});`,
    body: `${guard}
  delete from ${s}.open_job o
  where o.job_id = v_job and o.leased_by = p_worker and o.fence = p_fence::integer
  returning o.chain_id, o.step, o.attempt, o.fence, o.started_at, o.on_end, o.lane, o.noted into v_open;
${returnLost(s)}
${leaveMore(s)}
  update ${s}.job j set
    status = 1, attempt = v_open.attempt, fence = v_open.fence, started_at = v_open.started_at, ended_at = v_now,
    ended_by = p_worker, next_job_id = v_id
  where j.id = v_job
  returning j.type_name into v_type;
  with next_job as (
    insert into ${s}.job (id, chain_id, step, type_name, priority, on_blocker_failure, status, attempt, position, created_at, input,
      context${names.columns})
    values (v_id, v_open.chain_id, v_open.step + 1, ${names.typeOf("p_type")}, p_priority::smallint, coalesce(p_wait::smallint, 0), 0, 0,
      v_position, v_now, p_input, p_context${names.values("p_type")})),
  next_open_job as (
    insert into ${s}.open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, blockers_left, state, rank,
      has_blockers, type_name, on_end)
    values (v_id, v_open.chain_id, v_position, v_due, 0, v_open.step + 1, 0, 0, case when v_due > v_now then 1 else 0 end,
      ~p_priority::smallint, false, p_type, v_open.on_end))
  insert into ${s}.tally_change (n, type_name, status, count) values (nextval(${positions}), v_type, 1, 1);
${returnSettled("v_type")}
exception when unique_violation then
  return query select ${resultRow("refused", {
    n: "0",
    refusal: "json_build_object('code', 'duplicate-id', 'id', p_id)::text",
  })};`,
  });
}

/** Gives back the places of a job under limits, and lets upkeep forget what a job has noted. */
const leaveMore = (s: string) => `  if v_open.lane is not null or v_open.noted then
    perform ${givesBack(s)}, ${spendsNotes(s)} from (select v_open.lane as lane, v_open.noted as noted, v_job as job_id) o;
  end if;`;

/** Ends the call if the fence does not hold. */
function returnLost(s: string): string {
  return `  if not found then
    v_reason := ${s}.lost_reason_v1(v_job);
    return query select ${resultRow("lost", { n: "0", reason: "v_reason" })};
    if v_reason <> 'lease-lost' then
      return query select * from ${s}.begin_followers_v1(v_now, array[0], array[v_job], array[p_fence::integer]);
    end if;
    return;
  end if;`;
}

const returnSettled = (typeName: string) =>
  `  ${returnRow("settled", {
    n: "0",
    jobId: "v_job",
    chainId: "v_open.chain_id",
    typeName,
    settledAt: "v_now",
  })}`;
