import type { Schema } from "../schema.ts";
import { givenStarts } from "./begin.ts";
import { innerFunction, refusalState } from "../sql-function.ts";

/** SQLSTATE with which a batch of starts is rolled back, to be repeated one start after the other. */
export const inTurnState = "CW003";

/**
 * Begins starts one after the other, each with the starts inside it, like separate calls. A batch takes each key once for all
 * starts that ask for it, which is wrong where a chain fails as it begins: its key is free again for the next start.
 */
export function beginInTurnFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "begin_in_turn_v1",
    parameters:
      "p_now double precision, p_starts jsonb, p_blockers jsonb, p_skip integer[], out live boolean[], out chains uuid[]",
    returns: "record",
    declare: `  v_start record;
  v_top integer;
  v_tops integer[];
  v_calls integer[];
  v_own jsonb;
  v_begun record;
  v_refusal json;`,
    body: `  -- A parent has a lower number than the starts inside it.
  for v_start in select i.n, i.parent, i.call from ${givenStarts} order by i.n loop
    v_tops[v_start.n + 1] := coalesce(v_tops[v_start.parent + 1], v_start.n);
    v_calls[v_start.n + 1] := v_start.call;
  end loop;
  live := array_fill(false, array[cardinality(v_tops)]);
  chains := array_fill(null::uuid, array[cardinality(v_tops)]);
  -- For begin_v1 and block_v1 each start at the top is a call of its own.
  select jsonb_agg(e.start || jsonb_build_object('call', v_tops[(e.start->>'n')::integer + 1])) into v_own
  from jsonb_array_elements(p_starts) as e(start);
  for v_top in
    select t.n - 1 from unnest(v_tops, v_calls) with ordinality as t(top, call, n)
    where t.top = t.n - 1 and t.call <> all(p_skip) order by t.n
  loop
    select b.live, b.chains into v_begun from ${s}.begin_v1(p_now, v_own, array_remove(v_tops, v_top), null, null) b;
    perform ${s}.block_v1(p_now, v_own, p_blockers, v_begun.live, v_begun.chains, null);
    for i in 1 .. cardinality(v_tops) loop
      continue when v_tops[i] <> v_top;
      live[i] := v_begun.live[i];
      chains[i] := v_begun.chains[i];
    end loop;
  end loop;
exception when sqlstate '${refusalState}' then
  get stacked diagnostics v_refusal = pg_exception_detail;
  raise exception 'refused' using errcode = '${refusalState}',
    detail = (v_refusal::jsonb || jsonb_build_object('n', v_calls[(v_refusal->>'n')::integer + 1]))::text;`,
  });
}
