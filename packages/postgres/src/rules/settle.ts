import { factColumns, factRow } from "../result-columns.ts";
import type { Schema } from "../schema.ts";
import { guard, nowOf, outerFunction } from "../sql-function.ts";
import { dueOf } from "./begin.ts";

export function settleFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "settle_v1",
    parameters: `p_alone text, p_now text, p_fenced text, p_total text, p_continues text, p_deferred text, p_steps text,
  p_starts text, p_blockers text, p_free text`,
    returns: `table(${factColumns})`,
    declare: `  v_now double precision := ${nowOf("p_now")};
  v_starts jsonb := p_starts::jsonb;
  v_blockers_json jsonb := p_blockers::jsonb;
  v_busy integer[];
  v_step record;
  v_found record;`,
    body: `${guard("p_alone")}
  if p_free is not null then
    v_busy := ${s}.lock_free_rows_v1(p_fenced::json, p_deferred::json, v_starts, v_blockers_json);
    return query select ${factRow({ kind: "'busy'", n: "b.n" })} from unnest(v_busy) as b(n);
    p_fenced := ${without("p_fenced")};
    p_deferred := ${without("p_deferred")};
    p_total := json_array_length(p_fenced::json)::text;
  end if;
  if p_fenced is not null then
    if p_continues is null then
      return query select * from ${s}.try_settle_ends_v1(v_now, p_fenced::json, p_total::integer, false, null, null, '{}');
    else
      return query select * from ${s}.settle_ends_v1(v_now, p_fenced::json, p_total::integer, v_starts, v_blockers_json);
    end if;
  end if;
  if p_deferred is not null then
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
        state = case when i.due_at > v_now then 1 else 0 end
      from moments i where o.job_id = any(array[i.id]) and o.leased_by = i.worker and o.fence = i.fence
      returning i.n, o.job_id, o.chain_id, o.type_name, i.errors),
    noted as (
      update ${s}.job j set errors = w.errors from waiting w where j.id = any(array[w.job_id]) and w.errors is not null)
    select ${factRow({
      kind: "case when w.n is null then 'lost' else 'settled' end",
      n: "i.n",
      job_id: "w.job_id",
      chain_id: "w.chain_id",
      type_name: "w.type_name",
      at: "v_now",
      status: `case when w.n is null then ${s}.lost_reason_v1(i.id) end`,
    })}
    from outcomes i left join waiting w on w.n = i.n;
  end if;
  if p_steps is not null then
    for v_step in select * from json_array_elements(p_steps::json) as e(outcome)
    loop
      select f.job_id, f.refusal into v_found from ${s}.open_step_v1((v_step.outcome->>'chain')::uuid, v_step.outcome->>'step') f;
      if v_found.refusal is not null then
        return query select ${factRow({ kind: "'refused'", n: "(v_step.outcome->>'n')::integer", body: "v_found.refusal" })};
      else
        return query select * from ${s}.settle_ends_v1(v_now,
          json_build_array((v_step.outcome::jsonb || jsonb_build_object('id', v_found.job_id))::json), 1, v_starts, v_blockers_json);
      end if;
    end loop;
  end if;`,
  });
}

/** The outcomes in a parameter that nobody else holds; null: there are none. */
const without = (outcomes: string) => `(
      select json_agg(e.outcome)::text from json_array_elements(${outcomes}::json) as e(outcome)
      where (e.outcome->>'n')::integer <> all(v_busy))`;
