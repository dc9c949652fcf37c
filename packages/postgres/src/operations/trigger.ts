import type { CallOptions, JobRef, Reply } from "chainwright";
import { factOf, inPlace, refOf, refusalOf } from "../facts.ts";
import { factColumns, factRow } from "../functions/fact-row.ts";
import { guard, nowOf, outerFunction } from "../functions/function.ts";
import { jobStatus } from "../rows.ts";
import { isOne } from "../functions/is-one.ts";
import type { Schema } from "../schema.ts";
import { call } from "../store.ts";
import type { Store } from "../store.ts";

/** Makes scheduled jobs ready. All or nothing. */
export async function trigger<Tx>(
  store: Store<Tx>,
  jobIds: readonly string[],
  options: CallOptions<Tx>,
): Promise<Reply<readonly JobRef[]>> {
  if (jobIds.length === 0) return { ok: true, value: [] };
  const rows = await call(store, { name: "trigger_v1", parameters: [JSON.stringify(jobIds)] }, options);
  const facts = rows.map(factOf);
  const refused = facts.find(({ kind }) => kind === "refused");
  if (refused !== undefined) return { ok: false, refusal: refusalOf(refused) };
  return { ok: true, value: inPlace(facts.map(refOf), jobIds.length, "trigger") };
}

export function triggerFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "trigger_v1",
    parameters: "p_alone text, p_now text, p_jobs text",
    returns: `table(${factColumns})`,
    declare: `  v_now double precision := ${nowOf("p_now")};
  v_jobs uuid[] := array(select e.id::uuid from json_array_elements_text(p_jobs::json) with ordinality as e(id, n) order by e.n);
  v_bad record;`,
    body: `${guard("p_alone")}
  perform from ${s}.open_job o where o.job_id = any(v_jobs) order by o.job_id for update;
  select i.id, case when j.id is null then 'job-not-found' else 'job-not-scheduled' end as code, ${jobStatus("v_now")} as actual
  into v_bad
  from unnest(v_jobs) with ordinality as i(id, n)
  left join ${s}.job j on ${isOne("j.id", "i.id")}
  left join ${s}.open_job o on ${isOne("o.job_id", "i.id")}
  where j.id is null or ${jobStatus("v_now")} <> 'scheduled'
  order by i.n limit 1;
  if found then
    return query select ${factRow({
      kind: "'refused'",
      body: `json_build_object('id', v_bad.id, 'code', v_bad.code,
        'actual', case v_bad.code when 'job-not-scheduled' then v_bad.actual end)::text`,
    })};
    return;
  end if;
  update ${s}.open_job o set state = 0, due_at = v_now where o.job_id = any(v_jobs);
  return query
  select ${factRow({ kind: "'triggered'", job_id: "j.id", chain_id: "j.chain_id", type_name: "j.type_name" })}
  from unnest(v_jobs) with ordinality as i(id, n) join ${s}.job j on ${isOne("j.id", "i.id")}
  order by i.n;`,
  });
}
