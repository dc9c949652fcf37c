import type { CallOptions, Heartbeat, HeartbeatReply } from "chainwright/adapter";
import { migrations } from "../migrations.ts";
import { momentOf } from "../rows.ts";
import { momentParameter, type Store } from "../store.ts";
import { pausedTypeOf, selectPauses } from "./list-pauses.ts";

/** Stores that a worker is alive, or deletes it. Returns the paused types with the same statement. */
export async function heartbeat<Tx>(
  { schema: { quoted: s }, run }: Store<Tx>,
  {
    workerId,
    name,
    typeNames,
    concurrency,
    holds,
    aliveForMs,
    packageVersion,
    codeVersion,
    versions,
    pools,
  }: Heartbeat,
  { tx, now }: CallOptions<Tx>,
): Promise<HeartbeatReply> {
  if (aliveForMs === 0) {
    const text = `delete from ${s}.worker where id = $1::text`;
    await run(tx, { text, parameters: [workerId], prepare: true });
    return { paused: [] };
  }
  const text = `with moment as (select ${momentOf("$1")} as now),
beat as (
insert into ${s}.worker as w (id, name, type_names, concurrency, holds, schema_version, started_at, last_seen_at, alive_until,
  package_version, code_version, versions, pools)
select $2::text, $3::text, $4::text, $5::text::integer, $6::text::integer, ${migrations.length}, moment.now, moment.now, moment.now + $7::text::double precision,
  $8::text, $9::text::bigint, $10::text, $11::text
from moment
on conflict (id) do update set
  name = excluded.name, type_names = excluded.type_names, concurrency = excluded.concurrency, holds = excluded.holds,
  last_seen_at = excluded.last_seen_at, alive_until = excluded.alive_until, package_version = excluded.package_version,
  code_version = excluded.code_version, versions = excluded.versions, pools = excluded.pools)
${selectPauses(s)}`;
  const parameters = [
    momentParameter(now),
    workerId,
    name,
    JSON.stringify(typeNames),
    String(concurrency),
    String(holds),
    String(aliveForMs),
    packageVersion ?? null,
    codeVersion === undefined ? null : String(codeVersion),
    jsonOf(versions),
    jsonOf(pools),
  ];
  return { paused: (await run(tx, { text, parameters, prepare: true })).map(pausedTypeOf) };
}

function jsonOf(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
