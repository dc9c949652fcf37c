import type { Schema } from "../schema.ts";
import { innerFunction } from "./function.ts";

/**
 * Locks chains so that nothing happens to them until the transaction ends: the open jobs of active ones, as their workers
 * would, then the first rows, as retries and those who would wait for them do. Returns the ids of those that exist.
 */
export function holdFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "hold_v1",
    parameters: "p_chains uuid[]",
    returns: "uuid[]",
    declare: `  v_chain uuid;
  v_job uuid;
  v_jobs uuid[];
  v_found uuid[];`,
    body: `  loop
    v_jobs := '{}';
    for v_chain in select c.id from unnest(p_chains) as c(id) order by c.id loop
      select f.job_id into v_job from ${s}.open_step_v1(v_chain, null) f where f.refusal is null;
      v_jobs := v_jobs || v_job;
    end loop;
    v_found := array(
      select f.id from ${s}.job f where f.id = any(p_chains) and f.chain_status is not null order by f.id for update);
    -- A chain that had ended may have been retried before its first row was locked.
    exit when not exists (
      select from ${s}.job f
      where f.id = any(v_found) and f.chain_status = 0
        and not exists (select from ${s}.open_job o where o.job_id = any(v_jobs) and o.chain_id = f.id));
  end loop;
  return v_found;`,
  });
}
