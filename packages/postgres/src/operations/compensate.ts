import type { CallOptions, CompensateItem, CompensateReply, LostReason } from "chainwright/adapter";
import { storedCompensation } from "../ends/stored-ends.ts";
import { inPlace, resultOf } from "../result-rows.ts";
import { call, type Store } from "../store.ts";

/** Records what undoes the steps of running attempts. */
export async function compensate<Tx>(
  store: Store<Tx>,
  items: readonly CompensateItem[],
  options: CallOptions<Tx>,
): Promise<readonly CompensateReply[]> {
  if (items.length === 0) return [];
  const records = items.map(({ target: { jobId, workerId, fence }, compensation }, n) => {
    return { n, id: jobId, worker: workerId, fence, body: storedCompensation(compensation) };
  });
  const rows = await call(store, { name: "compensate_v1", parameters: [JSON.stringify(records)] }, options);
  const replies: CompensateReply[] = [];
  for (const row of rows.map(resultOf)) {
    if (row.kind === "recorded") replies[row.n] = "recorded";
    else if (row.kind === "lost") replies[row.n] = row.reason as LostReason;
  }
  return inPlace(replies, items.length, "compensation");
}
