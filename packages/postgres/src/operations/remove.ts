import type { CallOptions, RemoveReply, RemoveRequest, Reply } from "chainwright/adapter";
import { refusalOf, resultOf } from "../result-rows.ts";
import { call, type Store } from "../store.ts";

/** Deletes chains with their jobs; with cascade also the chains that wait for them. */
export async function remove<Tx>(
  store: Store<Tx>,
  { chainIds, cascade }: RemoveRequest,
  options: CallOptions<Tx>,
): Promise<Reply<readonly RemoveReply[]>> {
  if (chainIds.length === 0) return { ok: true, value: [] };
  const parameters = [JSON.stringify([...new Set(chainIds)]), cascade ? "1" : null];
  const rows = await call(store, { name: "remove_v1", parameters }, options);
  const removed: { chainId: string; typeName: string }[] = [];
  const interrupted = new Map<string, RemoveReply["interrupted"]>();
  for (const row of rows.map(resultOf)) {
    if (row.kind === "refused") return { ok: false, refusal: refusalOf(row) };
    if (row.kind === "removed") removed.push(row);
    if (row.kind === "interrupted") interrupted.set(row.chainId, { jobId: row.jobId, workerId: row.workerId });
  }
  return {
    ok: true,
    value: removed.map(({ chainId, typeName }) => ({ chainId, typeName, interrupted: interrupted.get(chainId) })),
  };
}
