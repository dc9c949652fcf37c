import type { CallOptions, HeldJob, LostWorkerRecord, WorkerRecord } from "chainwright/adapter";
import type { PostgresRow } from "../driver.ts";
import { momentOf, textOf, wholeMs } from "../rows.ts";
import { momentParameter, type Store } from "../store.ts";

const columns = `w.id, w.name, w.type_names, w.concurrency, w.schema_version, w.holds, ${wholeMs("w.started_at")} as started_at,
  ${wholeMs("w.last_seen_at")} as last_seen_at, w.package_version, w.code_version, w.versions, w.pools`;

/** Workers whose last heartbeat is still valid, in the order of their start. */
export async function listWorkers<Tx>(
  { schema: { quoted: s }, run }: Store<Tx>,
  { tx, now }: CallOptions<Tx>,
): Promise<readonly WorkerRecord[]> {
  const text = `select ${columns} from ${s}.worker w where w.alive_until > ${momentOf("$1")} order by w.started_at, w.id`;
  const rows = await run(tx, { text, parameters: [momentParameter(now)], prepare: true });
  return rows.map(workerOf);
}

/** Workers whose last heartbeat is valid no more, the newest loss first. */
export async function listLostWorkers<Tx>(
  { schema: { quoted: s }, run }: Store<Tx>,
  { tx, now }: CallOptions<Tx>,
): Promise<readonly LostWorkerRecord[]> {
  const text = `select ${columns}, ${wholeMs("w.alive_until")} as lost_at, w.held
from ${s}.worker w where w.alive_until <= ${momentOf("$1")} order by w.alive_until desc, w.id`;
  const rows = await run(tx, { text, parameters: [momentParameter(now)], prepare: true });
  return rows.map((row) => {
    const held = textOf(row[13]);
    return {
      ...workerOf(row),
      lostAt: Number(row[12]),
      held: held === undefined ? undefined : (JSON.parse(held) as HeldJob[]),
    };
  });
}

function workerOf(row: PostgresRow): WorkerRecord {
  return {
    id: String(row[0]),
    name: String(row[1]),
    typeNames: JSON.parse(String(row[2])) as string[],
    concurrency: Number(row[3]),
    schemaVersion: Number(row[4]),
    holds: Number(row[5]),
    startedAt: Number(row[6]),
    lastSeenAt: Number(row[7]),
    packageVersion: textOf(row[8]),
    codeVersion: row[9] === null ? undefined : Number(row[9]),
    versions: JSON.parse(textOf(row[10]) ?? "{}") as Record<string, number>,
    pools: JSON.parse(textOf(row[11]) ?? "[null]") as (string | null)[],
  };
}
