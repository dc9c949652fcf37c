import type { CallOptions, JobRef, Reply, RetryReply, RetryItem } from "chainwright/adapter";
import { inPlace, refOf, refusalOf, resultOf, startedJobOf, type ResultRow } from "../result-rows.ts";
import { storedLimits } from "../limits/stored-limits.ts";
import { noEffects } from "../consequences.ts";
import { call, type Store } from "../store.ts";

/** Makes failed and cancelled chains active again, from the job where they stopped. All or nothing. */
export async function retry<Tx>(
  store: Store<Tx>,
  items: readonly RetryItem[],
  options: CallOptions<Tx>,
): Promise<Reply<readonly RetryReply[]>> {
  if (items.length === 0) return { ok: true, value: [] };
  const records = items.map(({ chainId, input, version, limits, typeName }, n) => {
    return { n, chain: chainId, input, type: typeName, version, limits: storedLimits(limits) };
  });
  const rows = await call(store, { name: "retry_v1", parameters: [JSON.stringify(records)] }, options);
  return replyOf(rows.map(resultOf), items.length);
}

interface Effects extends RetryReply {
  readonly reblocked: JobRef[];
  withdrawn?: JobRef[];
}

function replyOf(rows: readonly ResultRow[], count: number): Reply<readonly RetryReply[]> {
  const value: Effects[] = [];
  for (const row of rows) {
    if (row.kind === "refused") return { ok: false, refusal: refusalOf(row) };
    if (row.kind === "retried") value[row.n] = { job: startedJobOf(row), ...noEffects() };
    else if (row.kind === "reblocked") value[row.n]?.reblocked.push(refOf(row));
  }
  for (const row of rows) {
    const reply = row.kind === "withdrawn" ? value[row.n] : undefined;
    if (row.kind === "withdrawn" && reply !== undefined) (reply.withdrawn ??= []).push(refOf(row));
  }
  return { ok: true, value: inPlace(value, count, "retry") };
}
