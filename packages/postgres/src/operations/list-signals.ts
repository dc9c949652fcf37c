import type { CallOptions, SignalQuery, SignalRecord } from "chainwright/adapter";
import { textOf, wholeMs } from "../rows.ts";
import type { Store } from "../store.ts";

export async function listSignals<Tx>(
  { schema: { quoted: s }, run }: Store<Tx>,
  { chainId, after, limit }: SignalQuery,
  { tx }: CallOptions<Tx>,
): Promise<readonly SignalRecord[]> {
  const text = `select g.position, g.type_name, g.name, g.payload, ${wholeMs("g.at")} as at, g.signal_id, g.context, g.taken_by
from ${s}.signal g where g.chain_id = $1::text::uuid and g.position > $2::text::bigint order by g.position limit $3::text::bigint`;
  const rows = await run(tx, { text, parameters: [chainId, String(after ?? 0), String(limit)], prepare: true });
  return rows.map(([position, typeName, signal, payload, at, signalId, context, takenBy]) => ({
    chainId,
    position: Number(position),
    typeName: String(typeName),
    signal: String(signal),
    payload: String(payload),
    at: Number(at),
    signalId: textOf(signalId ?? null),
    context: textOf(context ?? null),
    takenBy: textOf(takenBy ?? null),
  }));
}
