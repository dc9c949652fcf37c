import type { CallOptions, RemoveReply, RemoveRequest, Reply } from "chainwright/adapter";
import { factOf, refusalOf } from "../result-rows.ts";
import { call } from "../store.ts";
import type { Store } from "../store.ts";

/** Deletes chains with their jobs; with cascade also the chains that wait for them. */
export async function remove<Tx>(
  store: Store<Tx>,
  { chainIds, cascade }: RemoveRequest,
  options: CallOptions<Tx>,
): Promise<Reply<readonly RemoveReply[]>> {
  if (chainIds.length === 0) return { ok: true, value: [] };
  const parameters = [JSON.stringify([...new Set(chainIds)]), cascade ? "1" : null];
  const facts = (await call(store, { name: "remove_v1", parameters }, options)).map(factOf);
  const refused = facts.find(({ kind }) => kind === "refused");
  if (refused !== undefined) return { ok: false, refusal: refusalOf(refused) };
  const interrupted = new Map<string, RemoveReply["interrupted"]>();
  for (const { kind, chainId, jobId, status } of facts) {
    if (kind === "interrupted" && status !== null) interrupted.set(chainId, { jobId, workerId: status });
  }
  const removed = facts.filter(({ kind }) => kind === "removed");
  return {
    ok: true,
    value: removed.map(({ chainId, typeName }) => ({ chainId, typeName, interrupted: interrupted.get(chainId) })),
  };
}
