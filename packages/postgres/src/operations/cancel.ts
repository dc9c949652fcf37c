import type { CallOptions, CancelItem, CancelReply, Reply } from "chainwright";
import { factOf, inPlace, refOf, refusalOf } from "../facts.ts";
import type { Fact } from "../facts.ts";
import { factColumns, factRow } from "../functions/fact-row.ts";
import { closeGates } from "../functions/gate.ts";
import { guard, nowOf, outerFunction } from "../functions/function.ts";
import { isOne } from "../functions/is-one.ts";
import { addEffect, noEffects } from "../released.ts";
import type { Effects } from "../released.ts";
import type { Schema } from "../schema.ts";
import { call } from "../store.ts";
import type { Store } from "../store.ts";

/** Ends active chains as cancelled. All or nothing. */
export async function cancel<Tx>(
  store: Store<Tx>,
  items: readonly CancelItem[],
  options: CallOptions<Tx>,
): Promise<Reply<readonly CancelReply[]>> {
  if (items.length === 0) return { ok: true, value: [] };
  const records = items.map(({ chainId, reason }, n) => ({ n, chain: chainId, reason }));
  const rows = await call(store, { name: "cancel_v1", parameters: [JSON.stringify(records)] }, options);
  return replyOf(rows.map(factOf), items.length);
}

function replyOf(facts: readonly Fact[], count: number): Reply<readonly CancelReply[]> {
  const value: (Effects & CancelReply)[] = [];
  for (const fact of facts) {
    if (fact.kind === "refused") return { ok: false, refusal: refusalOf(fact) };
    if (fact.kind === "cancelled") {
      const interrupted = fact.status ?? undefined;
      value[fact.n] = { ...refOf(fact), interrupted, ...noEffects() };
      continue;
    }
    const effects = value[fact.n];
    if (effects !== undefined) addEffect(effects, fact);
  }
  return { ok: true, value: inPlace(value, count, "cancellation") };
}

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
    delete from ${s}.open_job o using unnest(v_n, v_job, v_reason) as i(n, job_id, reason) where ${isOne("o.job_id", "i.job_id")}
    returning i.n, i.reason, o.job_id, o.chain_id, o.type_name, o.attempt, o.fence, o.leased_by)
  select array_agg(g.n), array_agg(g.job_id), array_agg(g.chain_id), array_agg(g.type_name), array_agg(g.attempt),
    array_agg(g.fence), array_agg(g.leased_by), array_agg(g.reason)
  into v_n, v_job, v_chain, v_type, v_attempt, v_fence, v_by, v_reason
  from gone g;
  select c.broken, c.broken_n into v_broken, v_broken_n
  from ${s}.close_v1(v_now, v_n, v_job, v_chain, v_type, array_fill(3::smallint, array[cardinality(v_n)]), null, null, null,
    v_attempt, v_fence, null, null, null, v_reason) c;
  return query
  select ${factRow({ kind: "'cancelled'", n: "c.n", job_id: "c.job_id", chain_id: "c.chain_id", type_name: "c.type_name", status: "c.leased_by" })}
  from unnest(v_n, v_job, v_chain, v_type, v_by) as c(n, job_id, chain_id, type_name, leased_by)
  order by c.n;
  if v_broken is not null then
    return query select * from ${s}.follow_v1(v_now, null, null, v_broken, v_broken_n);
  end if;`,
  });
}
