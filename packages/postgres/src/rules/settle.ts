import { typeOf } from "../claim-names.ts";
import { givesBackUnlessHeld } from "../limits/give-back.ts";
import { resultColumns, resultRow } from "../result-rows.ts";
import type { Schema } from "../schema.ts";
import { guard, now, outerFunction } from "../sql-function.ts";
import { lockTopicsOfStarts } from "../signals/topic-locks.ts";
import { dueOf } from "./begin.ts";

/**
 * Rule "settle": outcomes of attempts. An outcome counts only if its fence holds: the job is open, and this worker has claimed it
 * with this number. Otherwise the outcome is lost. One outcome that is lost or refused leaves the others as they are.
 *
 * `p_fenced` are outcomes that end a job, `p_deferred` those that make it wait for its next attempt, `p_steps` those that end the
 * open job of a chain without a worker. With `p_free` the call settles only outcomes whose rows no other transaction has locked,
 * and reports the others as busy.
 */
export function settleFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "settle_v1",
    parameters: `p_alone text, p_now text, p_fenced text, p_total text, p_deferred text, p_steps text,
  p_starts text, p_blockers text, p_free text`,
    returns: `table(${resultColumns})`,
    declare: `  v_now double precision := ${now};
  v_starts jsonb := p_starts::jsonb;
  v_blockers_json jsonb := p_blockers::jsonb;
  v_busy integer[];
  v_step record;
  v_found record;`,
    body: `${guard}
${leaveBusyOutcomes(s)}
${lockTopicsOfStarts(s)}
  if p_fenced is not null then
    return query select * from ${s}.settle_ends_v1(v_now, p_fenced::json, p_total::integer, v_starts, v_blockers_json);
  end if;
${deferJobs(s)}
${settleSteps(s)}`,
  });
}

function leaveBusyOutcomes(s: string): string {
  return `  if p_free is not null then
    v_busy := ${s}.lock_free_rows_v1(p_fenced::json, p_deferred::json, v_starts, v_blockers_json);
    return query select ${resultRow("busy", { n: "b.n" })} from unnest(v_busy) as b(n);
    p_fenced := ${withoutBusy("p_fenced")};
    p_deferred := ${withoutBusy("p_deferred")};
    p_total := json_array_length(p_fenced::json)::text;
  end if;`;
}

/** The JSON array in this parameter without the busy outcomes, an expression. */
function withoutBusy(outcomes: string): string {
  return `(
      select json_agg(e.outcome)::text from json_array_elements(${outcomes}::json) as e(outcome)
      where (e.outcome->>'n')::integer <> all(v_busy))`;
}

function deferJobs(s: string): string {
  return `  if p_deferred is not null then
    return query
    with outcomes as (
      select * from json_to_recordset(p_deferred::json)
        as i(n integer, id uuid, worker text, fence integer, at double precision, after double precision, uncounted integer,
          errors text)
      order by i.id, i.n),
    moments as (
      select i.*, ${dueOf("i", "v_now")} as due_at from outcomes i),
    waiting as (
      update ${s}.open_job o set
        leased_by = null, leased_until = 0, started_at = null, attempt = o.attempt - i.uncounted, due_at = i.due_at,
        state = case when i.due_at > v_now or o.lane is not null then 1 else 0 end
      from moments i where o.job_id = any(array[i.id]) and o.leased_by = i.worker and o.fence = i.fence
      returning i.n, o.job_id, o.chain_id, ${typeOf("o.type_name")} as type_name, i.errors, ${givesBackUnlessHeld(s)}),
    noted as (
      update ${s}.job j set errors = w.errors from waiting w where j.id = any(array[w.job_id]) and w.errors is not null)
    select ${resultRow("settled", {
      n: "w.n",
      jobId: "w.job_id",
      chainId: "w.chain_id",
      typeName: "w.type_name",
      settledAt: "v_now",
    })}
    from waiting w
    union all
    select ${resultRow("lost", { n: "i.n", reason: `${s}.lost_reason_v1(i.id)` })}
    from outcomes i where i.n not in (select w.n from waiting w)
    union all
    select f.* from (
      select array_agg(i.n) as n, array_agg(i.id) as jobs, array_agg(i.fence) as fences
      from outcomes i where i.n not in (select w.n from waiting w) having count(*) > 0) i,
      lateral ${s}.begin_followers_v1(v_now, i.n, i.jobs, i.fences) f;
  end if;`;
}

function settleSteps(s: string): string {
  return `  if p_steps is not null then
    for v_step in select * from json_array_elements(p_steps::json) as e(outcome)
    loop
      select f.job_id, f.refusal into v_found from ${s}.open_step_v1((v_step.outcome->>'chain')::uuid, v_step.outcome->>'step') f;
      if v_found.refusal is not null then
        return query select ${resultRow("refused", { n: "(v_step.outcome->>'n')::integer", refusal: "v_found.refusal" })};
      else
        return query select * from ${s}.settle_ends_v1(v_now,
          json_build_array((v_step.outcome::jsonb || jsonb_build_object('id', v_found.job_id))::json), 1, v_starts, v_blockers_json);
      end if;
    end loop;
  end if;`;
}
