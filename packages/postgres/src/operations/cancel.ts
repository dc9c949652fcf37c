import type { CallOptions, CancelItem, CancelledBlocker, CancelReply, Reply } from "chainwright/adapter";
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
  const records = items.map(({ chainId, reason, blockers }, n) => {
    return { n, chain: chainId, reason, own: blockers === "cancel" ? true : undefined };
  });
  const rows = await call(store, { name: "cancel_v1", parameters: [JSON.stringify(records)] }, options);
  const results = rows.map(resultOf);
  const refused = results.find((row) => row.kind === "refused");
  if (refused !== undefined) return { ok: false, refusal: refusalOf(refused) };
  return { ok: true, value: inPlace(cancelledOf(results, 0), items.length, "cancellation") };
}

/** The cancelled chains whose rows have this number or a higher one. */
export function cancelledOf(rows: readonly ResultRow[], first: number): readonly CancelReply[] {
  const value: (Effects & CancelReply & { blockers?: CancelledBlocker[] })[] = [];
  for (const row of rows) {
    if (row.kind === "cancelled") value[row.n - first] = { ...cancelled(row), ...noEffects() };
    else if (row.kind === "alsoCancelled") {
      const reply = value[row.n - first];
      if (reply !== undefined) (reply.blockers ??= []).push({ ...refOf(row), interrupted: row.workerId });
    } else if (isEffect(row)) addEffect(value[row.n - first], row);
  }
  return value;
}

function cancelled(row: ResultRow<"cancelled">) {
  const { entryType: typeName, entryInput: input, entryVersion: version = 1 } = row;
  return { ...refOf(row), interrupted: row.workerId, entry: { typeName, input, version } };
}
