import { lostError } from "chainwright";
import type { Fence, LostReason } from "chainwright";
import { lightFunction } from "../functions/function.ts";
import { isOne } from "../functions/is-one.ts";
import type { Schema } from "../schema.ts";
import type { Store } from "../store.ts";

/** What runs in a transaction, and then a last statement that throws unless the fence holds until the commit. */
export function withHold<Tx, T>(
  { schema, run }: Store<Tx>,
  callback: (tx: Tx) => Promise<T>,
  { jobId, workerId, fence }: Fence,
): (tx: Tx) => Promise<T> {
  return async (tx) => {
    const value = await callback(tx);
    const [row] = await run(tx, {
      text: `select ${schema.quoted}.hold_fence_v1($1, $2, $3)`,
      parameters: [jobId, workerId, String(fence)],
      prepare: true,
    });
    const reason = (row?.[0] ?? undefined) as LostReason | undefined;
    if (reason !== undefined) throw lostError(reason, { id: jobId });
    return value;
  };
}

/**
 * Why a fence does not hold, or null. The lock keeps everyone from claiming or ending the job before the commit; it is taken at
 * the end, because a renewal passes by what is locked.
 */
export function holdFenceFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return lightFunction(schema, {
    name: "hold_fence_v1",
    parameters: "p_job text, p_worker text, p_fence text",
    returns: "text",
    declare: "  v_job uuid := p_job::uuid;",
    body: `  perform from ${s}.open_job o
  where ${isOne("o.job_id", "v_job")} and o.leased_by = p_worker and o.fence = p_fence::integer
  for share;
  return case when not found then ${s}.lost_v1(v_job) end;`,
  });
}
