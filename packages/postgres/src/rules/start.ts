import { factColumns, factRow } from "../result-columns.ts";
import type { Schema } from "../schema.ts";
import { guard, lightFunction, nowOf, outerFunction, refusalState, underWay } from "../sql-function.ts";
import { dueOf, startRecord, writtenStatus } from "./begin.ts";
import { inTurnState } from "./begin-in-turn.ts";

/** All starts: a refused call is rolled back to the savepoint together with the others, which then go again without it. */
export function startFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "start_v1",
    parameters: "p_alone text, p_now text, p_starts text, p_blockers text",
    returns: `table(${factColumns})`,
    declare: `  v_now double precision := ${nowOf("p_now")};
  v_starts jsonb := p_starts::jsonb;
  v_blockers_json jsonb := p_blockers::jsonb;
  v_skip integer[] := '{}';
  v_live boolean[];
  v_chains uuid[];
  v_in_turn boolean := false;
  v_refusal json;`,
    body: `${guard("p_alone")}
  loop
    begin
      if v_in_turn then
        select b.live, b.chains into v_live, v_chains from ${s}.begin_in_turn_v1(v_now, v_starts, v_blockers_json, v_skip) b;
        exit;
      end if;
      select b.live, b.chains into v_live, v_chains from ${s}.begin_v1(v_now, v_starts, v_skip, null, null) b;
      perform ${s}.block_v1(v_now, v_starts, v_blockers_json, v_live, v_chains, null);
      -- A chain that failed as it began, and one that was taken for another because of it.
      select bool_or(f.key_scope = 0 and f.chain_status > 1) into v_in_turn
      from unnest(v_live, v_chains) as i(is_live, chain) join ${s}.job f on f.id = any(array[i.chain])
      where not i.is_live;
      exit when v_in_turn is not true;
      raise exception 'one after the other' using errcode = '${inTurnState}';
    exception
      when sqlstate '${inTurnState}' then null;
      when sqlstate '${refusalState}' then
        get stacked diagnostics v_refusal = pg_exception_detail;
        v_skip := v_skip || (v_refusal->>'n')::integer;
        return query select ${factRow({ kind: "'refused'", n: "(v_refusal->>'n')::integer", body: "v_refusal::text" })};
    end;
  end loop;
  return query
  select ${factRow({
    kind: "case when v_live[i.n + 1] then 'begun' else 'present' end",
    n: "i.n",
    job_id: "j.id",
    chain_id: "j.id",
    type_name: "j.type_name",
    at: "j.created_at",
    wait: "o.due_at - v_now",
    status: `case when not v_live[i.n + 1] then j.chain_status::text else ${writtenStatus} end`,
    body: "case when not v_live[i.n + 1] then j.input end",
  })}
  from jsonb_to_recordset(v_starts) as i(${startRecord})
  join ${s}.job j on j.id = v_chains[i.n + 1]
  left join ${s}.open_job o on o.job_id = any(array[i.id])
  where i.call <> all(v_skip) and (v_live[i.n + 1] or i.parent is null)
  order by i.n;`,
  });
}

/**
 * Starts without blockers and deduplication: two inserts. The savepoint around them costs nothing measurable (8.5 us of
 * server time a start in batches of 100, against 11 us with "on conflict do nothing").
 */
export function startPlainFunction(schema: Schema): string {
  const { quoted: s, positions } = schema;
  return lightFunction(schema, {
    name: "start_plain_v1",
    parameters: "p_alone text, p_now text, p_starts text",
    returns: "bigint",
    declare: `${underWay}  v_now double precision := ${nowOf("p_now")};`,
    body: `${guard("p_alone")}
  with starts as materialized (
    select i.*, nextval(${positions}) as position, ${dueOf("i", "v_now")} as due_at
    from json_to_recordset(p_starts::json) as i(${startRecord})),
  jobs as (
    insert into ${s}.job (id, chain_id, step, type_name, priority, on_failure, status, chain_status, attempt, position,
      created_at, input, context)
    select i.id, i.id, 1, i.type, i.priority, coalesce(i.wait, 0), 0, 0, 0, i.position, v_now, i.input, i.context
    from starts i)
  insert into ${s}.open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, blockers_left, state, rank,
    has_blockers, type_name)
  select i.id, i.id, i.position, i.due_at, 0, 1, 0, 0, case when i.due_at > v_now then 1 else 0 end, ~i.priority, false, i.type
  from starts i;
  return v_now;
exception when unique_violation then
  return null;`,
  });
}
