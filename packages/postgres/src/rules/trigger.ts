import { claimNameOf } from "../claim-names.ts";
import { resultColumns, resultRow } from "../result-rows.ts";
import { jobStatus } from "../rows.ts";
import type { Schema } from "../schema.ts";
import { guard, now, outerFunction } from "../sql-function.ts";

/**
 * Rule "trigger": scheduled jobs are ready at once. All or nothing. A job that follows a stopped chain and that no worker has claimed
 * waits for the end of an attempt.
 */
export function triggerFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "trigger_v1",
    parameters: "p_alone text, p_now text, p_jobs text",
    returns: `table(${resultColumns})`,
    declare: `  v_now double precision := ${now};
  v_jobs uuid[] := array(select e.id::uuid from json_array_elements_text(p_jobs::json) with ordinality as e(id, n) order by e.n);
  v_bad record;`,
    body: `${guard}
  perform from ${s}.open_job o where o.job_id = any(v_jobs) order by o.job_id for update;
  select i.id, case when j.id is null then 'job-not-found' else 'job-not-scheduled' end as code, ${jobStatus("v_now")} as actual,
    j.follows
  into v_bad
  from unnest(v_jobs) with ordinality as i(id, n)
  left join ${s}.job j on j.id = any(array[i.id])
  left join ${s}.open_job o on o.job_id = any(array[i.id])
  where j.id is null or ${jobStatus("v_now")} <> 'scheduled' or (j.follows is not null and o.fence = 0)
  order by i.n limit 1;
  if found then
    return query select ${resultRow("refused", {
      n: "null",
      refusal: `json_build_object('id', v_bad.id, 'code', v_bad.code,
        'actual', case v_bad.code when 'job-not-scheduled' then v_bad.actual end,
        'references', case when v_bad.follows is not null and v_bad.actual = 'scheduled' then json_build_array(v_bad.follows) end)::text`,
    })};
    return;
  end if;
  update ${s}.open_job o set state = case when o.lane is null then 0 else 1 end, due_at = v_now where o.job_id = any(v_jobs);
  return query
  select ${resultRow("triggered", {
    jobId: "j.id",
    chainId: "j.chain_id",
    typeName: "j.type_name",
    claimName: claimNameOf("j"),
    more: "null",
  })}
  from unnest(v_jobs) with ordinality as i(id, n) join ${s}.job j on j.id = any(array[i.id])
  order by i.n;`,
  });
}
