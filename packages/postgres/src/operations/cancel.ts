import type { CallOptions, CancelItem, CancelReply, Reply } from "chainwright/adapter";
import { inPlace, refOf, refusalOf, resultOf, type ResultRow } from "../result-rows.ts";
import { addEffect, isEffect, noEffects, type Effects } from "../consequences.ts";
import { call, type Store } from "../store.ts";

/** Ends active chains as cancelled. All or nothing. */
export async function cancel<Tx>(
  store: Store<Tx>,
  items: readonly CancelItem[],
  options: CallOptions<Tx>,
): Promise<Reply<readonly CancelReply[]>> {
  if (items.length === 0) return { ok: true, value: [] };
  const records = items.map(({ chainId, reason }, n) => ({ n, chain: chainId, reason }));
  const rows = await call(store, { name: "cancel_v1", parameters: [JSON.stringify(records)] }, options);
  return replyOf(rows.map(resultOf), items.length);
}

function replyOf(rows: readonly ResultRow[], count: number): Reply<readonly CancelReply[]> {
  const value: (Effects & CancelReply)[] = [];
  for (const row of rows) {
    if (row.kind === "refused") return { ok: false, refusal: refusalOf(row) };
    if (row.kind === "cancelled") value[row.n] = { ...refOf(row), interrupted: row.workerId, ...noEffects() };
    else if (isEffect(row)) addEffect(value[row.n], row);
  }
  return { ok: true, value: inPlace(value, count, "cancellation") };
}
