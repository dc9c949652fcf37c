import type { CallOptions, WorkerRecord } from "chainwright/adapter";
import { momentOf, wholeMs } from "../rows.ts";
import { momentParameter, type Store } from "../store.ts";

/** Workers whose last heartbeat is still valid, in the order of their start. */
export async function listWorkers<Tx>(
  { schema: { quoted: s }, run }: Store<Tx>,
  { tx, now }: CallOptions<Tx>,
): Promise<readonly WorkerRecord[]> {
  const text = `select w.id, w.name, w.type_names, w.concurrency, w.schema_version, w.holds, ${wholeMs("w.started_at")} as started_at,
  ${wholeMs("w.last_seen_at")} as last_seen_at
from ${s}.worker w where w.alive_until > ${momentOf("$1")} order by w.started_at, w.id`;
  const rows = await run(tx, { text, parameters: [momentParameter(now)], prepare: true });
  return rows.map(([id, name, typeNames, concurrency, schemaVersion, holds, startedAt, lastSeenAt]) => ({
    id: String(id),
    name: String(name),
    typeNames: JSON.parse(String(typeNames)) as string[],
    concurrency: Number(concurrency),
    schemaVersion: Number(schemaVersion),
    holds: Number(holds),
    startedAt: Number(startedAt),
    lastSeenAt: Number(lastSeenAt),
  }));
}
