import type { CallOptions, JobRef, Reply, RetryReply, RetryItem } from "chainwright/adapter";
import { factOf, inPlace, refOf, refusalOf, startedJobOf } from "../result-rows.ts";
import type { Fact } from "../result-rows.ts";
import { noEffects } from "../consequences.ts";
import { call } from "../store.ts";
import type { Store } from "../store.ts";

/** Makes failed and cancelled chains active again, from the job where they stopped. All or nothing. */
export async function retry<Tx>(
  store: Store<Tx>,
  items: readonly RetryItem[],
  options: CallOptions<Tx>,
): Promise<Reply<readonly RetryReply[]>> {
  if (items.length === 0) return { ok: true, value: [] };
  const records = items.map(({ chainId, input, typeName }, n) => ({ n, chain: chainId, input, type: typeName }));
  const rows = await call(store, { name: "retry_v1", parameters: [JSON.stringify(records)] }, options);
  return replyOf(rows.map(factOf), items.length);
}

interface Effects extends RetryReply {
  readonly reblocked: JobRef[];
}

function replyOf(facts: readonly Fact[], count: number): Reply<readonly RetryReply[]> {
  const value: Effects[] = [];
  for (const fact of facts) {
    if (fact.kind === "refused") return { ok: false, refusal: refusalOf(fact) };
    if (fact.kind === "retried") value[fact.n] = { job: startedJobOf(fact), ...noEffects() };
    else if (fact.kind === "reblocked") value[fact.n]?.reblocked.push(refOf(fact));
  }
  return { ok: true, value: inPlace(value, count, "retry") };
}
