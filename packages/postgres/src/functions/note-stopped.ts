import { innerFunction } from "./function.ts";
import type { Schema } from "../schema.ts";

/** Notes of jobs that failed or were cancelled what lists look for, and when retention has to look at their chains. */
export function noteStoppedFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "note_stopped_v1",
    parameters: "p_now double precision, p_job uuid[], p_chain uuid[], p_status smallint[]",
    returns: "void",
    declare: "",
    body: `  insert into ${s}.stopped (job_id, chain_id)
  select e.job_id, e.chain_id from unnest(p_job, p_chain, p_status) as e(job_id, chain_id, status) where e.status > 1;
  insert into ${s}.expiry (chain_id, kind, since)
  select e.chain_id, case e.status when 2 then 2 else 1 end, p_now
  from unnest(p_chain, p_status) as e(chain_id, status) where e.status > 1 order by e.chain_id
  on conflict (chain_id, kind) do update set since = excluded.since;`,
  });
}
