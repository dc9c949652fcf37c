import type { CallOptions, JobRef, Reply, RetryReply, RetryItem } from "chainwright";
import { factOf, inPlace, refOf, refusalOf, startedJobOf } from "../facts.ts";
import type { Fact } from "../facts.ts";
import { factColumns, factRow } from "../functions/fact-row.ts";
import { guard, nowOf, outerFunction, refusalState } from "../functions/function.ts";
import { noEffects } from "../released.ts";
import type { Schema } from "../schema.ts";
import { call } from "../store.ts";
import type { Store } from "../store.ts";

/** Makes failed and cancelled chains active again, from the job where they stopped. All or nothing. */
export async function retry<Tx>(
  store: Store<Tx>,
  items: readonly RetryItem[],
  options: CallOptions<Tx>,
): Promise<Reply<readonly RetryReply[]>> {
  if (items.length === 0) return { ok: true, value: [] };
  const records = items.map(({ chainId, input, typeName }, n) => ({ n, chain: chainId, input, type: typeName }));
  const rows = await call(store, { name: "retry_v1", parameters: [JSON.stringify(records)] }, options);
  return replyOf(rows.map(factOf), items.length);
}

interface Effects extends RetryReply {
  readonly reblocked: JobRef[];
}

function replyOf(facts: readonly Fact[], count: number): Reply<readonly RetryReply[]> {
  const value: Effects[] = [];
  for (const fact of facts) {
    if (fact.kind === "refused") return { ok: false, refusal: refusalOf(fact) };
    if (fact.kind === "retried") value[fact.n] = { job: startedJobOf(fact), ...noEffects() };
    else if (fact.kind === "reblocked") value[fact.n]?.reblocked.push(refOf(fact));
  }
  return { ok: true, value: inPlace(value, count, "retry") };
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
      select * into v_waits from ${s}.waits_v1(v_last.id);
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
      v_holder := ${s}.retake_v1(v_now, v_first.id);
      if v_holder is not null then
        ${refuse("chain-not-retryable", "'actual', v_was[v_item.n + 1], 'references', json_build_array(v_holder)")}
      end if;
      select * into v_waits from ${s}.waits_v1(v_last.id);
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
