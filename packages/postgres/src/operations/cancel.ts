import type { CallOptions, CancelItem, CancelReply, Reply } from "chainwright/adapter";
import { factOf, inPlace, refOf, refusalOf } from "../result-rows.ts";
import type { Fact } from "../result-rows.ts";
import { addEffect, noEffects } from "../consequences.ts";
import type { Effects } from "../consequences.ts";
import { call } from "../store.ts";
import type { Store } from "../store.ts";

/** Ends active chains as cancelled. All or nothing. */
export async function cancel<Tx>(
  store: Store<Tx>,
  items: readonly CancelItem[],
  options: CallOptions<Tx>,
): Promise<Reply<readonly CancelReply[]>> {
  if (items.length === 0) return { ok: true, value: [] };
  const records = items.map(({ chainId, reason }, n) => ({ n, chain: chainId, reason }));
  const rows = await call(store, { name: "cancel_v1", parameters: [JSON.stringify(records)] }, options);
  return replyOf(rows.map(factOf), items.length);
}

function replyOf(facts: readonly Fact[], count: number): Reply<readonly CancelReply[]> {
  const value: (Effects & CancelReply)[] = [];
  for (const fact of facts) {
    if (fact.kind === "refused") return { ok: false, refusal: refusalOf(fact) };
    if (fact.kind === "cancelled") {
      const interrupted = fact.status ?? undefined;
      value[fact.n] = { ...refOf(fact), interrupted, ...noEffects() };
      continue;
    }
    const effects = value[fact.n];
    if (effects !== undefined) addEffect(effects, fact);
  }
  return { ok: true, value: inPlace(value, count, "cancellation") };
}
