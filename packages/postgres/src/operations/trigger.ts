import type { CallOptions, WaitingJob, Reply } from "chainwright/adapter";
import { inPlace, refusalOf, resultOf, waitingOf } from "../result-rows.ts";
import { call, type Store } from "../store.ts";

/** Makes scheduled jobs ready. All or nothing. */
export async function trigger<Tx>(
  store: Store<Tx>,
  jobIds: readonly string[],
  options: CallOptions<Tx>,
): Promise<Reply<readonly WaitingJob[]>> {
  if (jobIds.length === 0) return { ok: true, value: [] };
  const rows = await call(store, { name: "trigger_v1", parameters: [JSON.stringify(jobIds)] }, options);
  const triggered: WaitingJob[] = [];
  for (const row of rows.map(resultOf)) {
    if (row.kind === "refused") return { ok: false, refusal: refusalOf(row) };
    if (row.kind === "triggered") triggered.push(waitingOf(row));
  }
  store.claimStart.noteReturned(jobIds);
  return { ok: true, value: inPlace(triggered, jobIds.length, "trigger") };
}
