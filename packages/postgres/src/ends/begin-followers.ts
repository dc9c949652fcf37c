import { typeOf } from "../claim-names.ts";
import { resultColumns, resultRow } from "../result-rows.ts";
import type { Schema } from "../schema.ts";
import { outerFunction } from "../sql-function.ts";

/**
 * Attempts of stopped chains have handed in what the store refuses, so they are over: what waited for the ends of their leases is ready.
 * This is the attempt that ran when its chain stopped, and only what no worker has claimed yet. It stays scheduled, so that claims find
 * it by its moment, wherever its position is.
 *
 * The condition on the state is written such that the planner cannot choose an index of scheduled jobs: a plan that was made while few
 * were scheduled would read all of them.
 */
export function beginFollowersFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "begin_followers_v1",
    parameters: "p_now double precision, p_n integer[], p_jobs uuid[], p_fences integer[]",
    returns: `table(${resultColumns})`,
    declare: `  v_jobs uuid[];
  v_n integer[];`,
    body: `  select array_agg(w.job_id), array_agg(w.n) into v_jobs, v_n
  from (
    select o.job_id, i.n
    from unnest(p_n, p_jobs, p_fences) as i(n, job_id, fence)
    join ${s}.job j on j.id = any(array[i.job_id])
    join ${s}.job f on f.id = any(array[j.chain_id])
    join ${s}.compensation c on c.chain_id = any(array[f.id])
    join ${s}.open_job o on o.job_id = any(array[c.follower])
    where j.fence = i.fence and j.status > 1 and f.chain_status > 1 and f.on_end and o.state + 0 = 1 and o.fence = 0 and o.step = 1
      and not o.has_blockers
    order by c.follower for update of o) w;
  if v_jobs is null then
    return;
  end if;
  return query
  with begun as (
    update ${s}.open_job o set due_at = p_now
    where o.job_id = any(v_jobs) and o.state + 0 = 1 and o.fence = 0 and o.due_at > p_now
    returning o.job_id, o.chain_id, o.type_name)
  select ${resultRow("unblocked", {
    n: "i.n",
    jobId: "b.job_id",
    chainId: "b.chain_id",
    typeName: typeOf("b.type_name"),
    status: "'ready'",
    dueInMs: "null",
    claimName: "b.type_name",
    followUp: "1",
  })}
  from begun b join unnest(v_jobs, v_n) as i(job_id, n) on i.job_id = b.job_id;`,
  });
}
