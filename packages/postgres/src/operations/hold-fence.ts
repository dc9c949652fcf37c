import { lostError, type Fence, type LostReason } from "chainwright/adapter";
import type { Store } from "../store.ts";

/** Adds a last statement to a transaction, which throws unless the fence holds until the commit. */
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
