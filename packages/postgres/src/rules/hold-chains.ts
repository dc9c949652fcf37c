import type { Schema } from "../schema.ts";
import { innerFunction } from "../sql-function.ts";

/**
 * Locks chains so that nothing happens to them until the transaction ends: the open jobs of active chains, which workers lock when
 * they settle, then the first rows, which retries and starts that wait for the chains lock. Returns the ids of those that exist.
 */
export function holdChainsFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "hold_chains_v1",
    parameters: "p_chains uuid[]",
    returns: "uuid[]",
    declare: `  v_chain uuid;
  v_job uuid;
  v_jobs uuid[];
  v_found uuid[];`,
    body: `  loop
    v_jobs := '{}';
    for v_chain in select c.id from unnest(p_chains) as c(id) order by c.id loop
      begin
        select f.job_id into v_job from ${s}.open_step_v1(v_chain, null) f where f.refusal is null;
        v_jobs := v_jobs || v_job;
      exception when data_corrupted then
        -- It is active and has no open job: lock its first row only.
      end;
    end loop;
    v_found := array(
      select f.id from ${s}.job f where f.id = any(p_chains) and f.chain_status is not null order by f.id for update);
    -- A chain that had ended may have been retried before its first row was locked.
    exit when not exists (
      select from ${s}.open_job o
      where o.job_id = any(array(
        select coalesce((select j.id from ${s}.job j where j.chain_id = f.id and j.step > 1 order by j.step desc limit 1), f.id)
        from ${s}.job f where f.id = any(v_found) and f.chain_status = 0))
        and o.job_id <> all(array_remove(v_jobs, null)));
  end loop;
  return v_found;`,
  });
}
