import type { Schema } from "../schema.ts";
import { innerFunction, lightFunction } from "../sql-function.ts";

/** Why a fence does not hold. A worker may settle only while the fence of its claim holds: see `settle_v1`. */
export function lostReasonFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "lost_reason_v1",
    parameters: "p_job uuid",
    returns: "text",
    declare: "  v_reason text;",
    body: `  select case when f.chain_status = 3 then 'cancelled' when j.status <> 0 then 'completed-elsewhere' else 'lease-lost' end
  into v_reason
  from ${s}.job j join ${s}.job f on f.id = any(array[j.chain_id]) where j.id = p_job;
  return coalesce(v_reason, 'cancelled');`,
  });
}

/**
 * Returns null if a fence holds, otherwise why it does not. The lock prevents that the job is claimed or ended before the commit.
 * It is taken at the end of a transaction, because a renewal skips locked rows.
 */
export function holdFenceFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return lightFunction(schema, {
    name: "hold_fence_v1",
    parameters: "p_job text, p_worker text, p_fence text",
    returns: "text",
    declare: "  v_job uuid := p_job::uuid;",
    body: `  perform from ${s}.open_job o
  where o.job_id = any(array[v_job]) and o.leased_by = p_worker and o.fence = p_fence::integer
  for share;
  return case when not found then ${s}.lost_reason_v1(v_job) end;`,
  });
}
