import type { CallOptions, Heartbeat, HeartbeatReply } from "chainwright/adapter";
import { inboxLane } from "../limits/tables.ts";
import { migrations } from "../migrations.ts";
import { addCounted } from "../upkeep/history.ts";
import { isSilent, noteHeld } from "../upkeep/lost-workers.ts";
import { momentOf, numberOf, wholeMs } from "../rows.ts";
import { momentParameter, type Store } from "../store.ts";
import { pausedTypeOf, selectPauses } from "./list-pauses.ts";

/** Stores that a worker is alive, or deletes it. The same statement returns the paused types, when the next schedule ticks, and whether jobs wait in lanes and chains have deadlines. */
export async function heartbeat<Tx>(
  store: Store<Tx>,
  said: Heartbeat,
  options: CallOptions<Tx>,
): Promise<HeartbeatReply> {
  const { isSomeoneSilent, ...reply } = await beat(store, said, options);
  if (isSomeoneSilent) await noteHeld(store, said.workerId, options);
  // A statement of its own, and only where something was counted: a heartbeat of an idle worker costs what it did before. The last one,
  // because a worker is alive also if its counts cannot be written.
  if (said.counted !== undefined) await addCounted(store, said.counted, options);
  return reply;
}

async function beat<Tx>(
  { schema, run }: Store<Tx>,
  said: Heartbeat,
  { tx, now }: CallOptions<Tx>,
): Promise<HeartbeatReply & { readonly isSomeoneSilent: boolean }> {
  const { quoted: s } = schema;
  const { workerId, aliveForMs } = said;
  if (aliveForMs === 0) {
    const text = `delete from ${s}.worker where id = $1::text`;
    await run(tx, { text, parameters: [workerId], prepare: true });
    return { paused: [], isSomeoneSilent: false };
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
  code_version = excluded.code_version, versions = excluded.versions, pools = excluded.pools, held = null)
select ${wholeMs("n.next_at - moment.now")} as next_in,
  (exists (select from ${s}.lane l where l.state = 1) or exists (select from ${s}.lane l where l.state > 1)
    or exists (select from ${s}.kept) or exists (select from ${s}.parked p where p.lane = ${inboxLane}))::integer as limited,
  exists (select from ${s}.deadline)::integer as deadlines,
  exists (select from ${s}.worker w, moment m where ${isSilent("w", { askedBy: "$2", now: "m.now" })})::integer as silent, p.*
from moment left join ${s}.soonest_schedules_v1(1) n on true left join (${selectPauses(s)}) p on true order by p.type_name`;
  const rows = await run(tx, { text, parameters: parametersOf(said, now), prepare: true });
  const nextInMs = numberOf(rows[0]?.[0] ?? null);
  return {
    paused: rows.filter((row) => row[4] !== null).map((row) => pausedTypeOf(row.slice(4))),
    nextTickInMs: nextInMs === undefined ? undefined : Math.max(0, nextInMs),
    ...(Number(rows[0]?.[1]) === 1 && { limited: true }),
    ...(Number(rows[0]?.[2]) === 1 && { deadlines: true }),
    isSomeoneSilent: Number(rows[0]?.[3]) === 1,
  };
}

function parametersOf(
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
  now: number | undefined,
): readonly (string | null)[] {
  return [
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
}

function jsonOf(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
