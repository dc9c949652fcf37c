import type { CallOptions, Reply, SentSignal, SignalItem, SignalReply, WaitingJob } from "chainwright/adapter";
import { inPlace, refusalOf, resultOf, waitingOf, type ResultRow } from "../result-rows.ts";
import { call, type FunctionCall, type Store } from "../store.ts";

/** Hands signals to chains and topics. All or nothing. */
export async function signal<Tx>(
  store: Store<Tx>,
  items: readonly SignalItem[],
  options: CallOptions<Tx>,
): Promise<Reply<readonly SignalReply[]>> {
  if (items.length === 0) return { ok: true, value: [] };
  const rows = (await call(store, callOf(items), options)).map(resultOf);
  for (const row of rows) if (row.kind === "refused") return { ok: false, refusal: refusalOf(row) };
  return { ok: true, value: inPlace(signalRepliesOf(rows), items.length, "signal") };
}

function callOf(items: readonly SignalItem[]): FunctionCall {
  const [only] = items;
  if (only === undefined || items.length > 1 || "topic" in only)
    return { name: "signal_v1", parameters: [JSON.stringify(items.map(recordOf))] };
  const { chainId, typeName, signal: name, payload, signalId = null, context = null } = only;
  return { name: "signal_one_v1", parameters: [chainId, typeName, name, payload, signalId, context] };
}

function recordOf(item: SignalItem, n: number): object {
  const to = "topic" in item ? { topic: item.topic, keep: item.keepMs } : { chain: item.chainId };
  return { n, ...to, ...contentOf(item) };
}

function contentOf({ typeName: type, signal: name, payload, signalId: id, context }: SentSignal): object {
  return { type, name, payload, id, context };
}

/** The replies, by the numbers of the signals. */
export function signalRepliesOf(rows: readonly ResultRow[]): readonly (SignalReply | undefined)[] {
  const woken = new Map<number, WaitingJob[]>();
  for (const row of rows) {
    if (row.kind !== "woken") continue;
    const jobs = woken.get(row.n);
    if (jobs === undefined) woken.set(row.n, [waitingOf(row)]);
    else jobs.push(waitingOf(row));
  }
  const replies: SignalReply[] = [];
  for (const row of rows) {
    if (row.kind !== "signalled") continue;
    const delivered = row.delivered as SignalReply["delivered"];
    const reply = { delivered, woken: woken.get(row.n) ?? [] };
    replies[row.n] = row.reached === undefined ? reply : { ...reply, reached: row.reached };
  }
  return replies;
}
