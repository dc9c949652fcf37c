import { typeOf } from "../claim-names.ts";
import type { Schema } from "../schema.ts";
import { innerFunction } from "../sql-function.ts";

/** Locks a chain's open job for a caller that is not a worker, even if the job is running. Returns its id, or a refusal. */
export function openStepFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "open_step_v1",
    parameters: "p_chain uuid, p_type text, out job_id uuid, out refusal text",
    returns: "record",
    declare: `  v_status smallint;
  v_type text;`,
    body: `  -- The chain may continue between the read and the lock: then read again.
  for i in 1 .. 100 loop
    select j.chain_status into v_status from ${s}.job j where j.id = p_chain and j.chain_status is not null;
    if not found then
      refusal := json_build_object('code', 'chain-not-found', 'id', p_chain);
      return;
    elsif v_status <> 0 then
      refusal := json_build_object('code', 'chain-not-active', 'id', p_chain,
        'actual', (array['completed', 'failed', 'cancelled'])[v_status]);
      return;
    end if;
    select coalesce(
      (select j.id from ${s}.job j where j.chain_id = p_chain and j.step > 1 order by j.step desc limit 1), p_chain)
    into job_id;
    select ${typeOf("o.type_name")} into v_type from ${s}.open_job o where o.job_id = open_step_v1.job_id for update;
    if found then
      if p_type is not null and v_type <> p_type then
        refusal := json_build_object('code', 'job-type-mismatch', 'id', p_chain, 'actual', v_type);
      end if;
      return;
    end if;
  end loop;
  raise exception 'chain % has no open job', p_chain using errcode = 'data_corrupted';`,
  });
}
