import { claimNameOf } from "../claim-names.ts";
import type { FaultKind } from "chainwright";
import type { StoreFault } from "chainwright/adapter";
import { installedFunctions, nameOf } from "../installed-functions.ts";
import { laneColumns } from "../limits/stored-limits.ts";
import { momentOf } from "../rows.ts";
import type { Schema } from "../schema.ts";
import { freePlaces, takePlaces } from "./places.ts";
import { dropNotes } from "./notes.ts";
import type { Steps } from "./steps.ts";
import { waitsFor } from "./chains-awaited.ts";

interface RepairOf {
  readonly schema: Schema;
  readonly fault: StoreFault;
  /** The most rows that a transaction changes. */
  readonly limit: number;
  readonly now: string | null;
}

/** Each repair checks again, with the locks that running work takes, that the fault is there. Undefined if no repair is safe. */
export function stepsFor(request: RepairOf): Steps | undefined {
  return repairs[request.fault.kind]?.(request);
}

const repairs: Readonly<Partial<Record<FaultKind, (request: RepairOf) => Steps>>> = {
  "job-without-chain": ({ schema: { quoted: s, positions }, fault: { id }, limit }) => [
    { text: deleteOrphans(s, positions), parameters: [id, String(limit)] },
  ],
  "open-job-without-job": ({ schema: { quoted: s }, fault: { id } }) => [
    {
      text: `delete from ${s}.open_job o where o.job_id = $1::text::uuid
  and not exists (select from ${s}.job j where j.id = o.job_id and j.status = 0) returning 1`,
      parameters: [id],
    },
  ],
  "chain-without-open-job": ({ schema: { quoted: s }, fault: { id }, now }) => [
    { text: lockChain(s, "for update"), parameters: [id] },
    { text: reopen(s), parameters: [id, now] },
  ],
  "lease-of-no-one": ({ schema: { quoted: s }, fault: { id, workerId = null }, now }) => [
    {
      text: `update ${s}.open_job o set leased_by = null, leased_until = 0, started_at = null
where o.job_id = $1::text::uuid and o.leased_by = $2::text
  and not exists (select from ${s}.worker w where w.id = $2::text and w.alive_until > ${momentOf("$3")}) returning 1`,
      parameters: [id, workerId, now],
    },
  ],
  "place-without-job": ({ schema: { quoted: s }, fault: { id } }) => freePlaces(s, id),
  "job-without-place": ({ schema: { quoted: s }, fault: { id } }) => takePlaces(s, id),
  "blocker-without-job": ({ schema: { quoted: s }, fault: { id } }) => [
    {
      text: `delete from ${s}.blocker b where b.job_id = $1::text::uuid
  and not exists (select from ${s}.job j where j.id = b.job_id) returning 1`,
      parameters: [id],
    },
  ],
  "stopped-without-job": ({ schema: { quoted: s }, fault: { id, chainId = null } }) => [
    { text: forgetStop(s), parameters: [id, chainId] },
  ],
  "missed-release": ({ schema: { quoted: s }, fault: { id }, now }) => [
    { text: `select from ${s}.open_job o where o.job_id = $1::text::uuid for update`, parameters: [id] },
    { text: recount(s), parameters: [id, now] },
  ],
  "missed-failure": ({ schema: { quoted: s, positions }, fault: { id, chainId = null } }) => [
    { text: lockChain(s, "for share"), parameters: [chainId] },
    { text: releaseAgain(s, positions), parameters: [chainId, id] },
  ],
  "stale-key": ({ schema: { quoted: s }, fault: { id, chainId = null } }) => [
    { text: lockChain(s, "for update"), parameters: [chainId] },
    {
      text: `delete from ${s}.deduplication d where d.key = $1::text and d.chain_id = $2::text::uuid and not exists (
  select from ${s}.job f where f.id = d.chain_id and f.chain_status is not null and (d.scope > 0 or f.chain_status = 0)) returning 1`,
      parameters: [id, chainId],
    },
  ],
  "stale-tag": ({ schema: { quoted: s }, fault: { id, chainId = null } }) => [
    {
      text: `delete from ${s}.tag g
where g.name = $1::text::json->>0 and g.value = $1::text::json->>1 and g.chain_id = $2::text::uuid and not exists (
  select from ${s}.job f where f.id = g.chain_id and f.tags::jsonb->>g.name::text = g.value) returning 1`,
      parameters: [id, chainId],
    },
  ],
  "note-without-job": ({ schema: { quoted: s }, fault: { id } }) => [{ text: dropNotes(s), parameters: [id] }],
  "changed-function": ({ schema, fault: { id } }) =>
    installedFunctions(schema).flatMap((text) =>
      nameOf(text, schema) === id
        ? [
            { text, parameters: [] },
            { text: "select 1", parameters: [] },
          ]
        : [],
    ),
};

const lockChain = (s: string, how: "for update" | "for share") =>
  `select from ${s}.job f where f.id = $1::text::uuid and f.chain_status is not null ${how}`;

const forgetStop = (s: string) => `with stop as (
  delete from ${s}.stopped k where k.job_id = $1::text::uuid
    and not exists (select from ${s}.job j where j.id = k.job_id and j.status > 1) returning 1),
failure as (
  delete from ${s}.failure k where k.chain_id = $2::text::uuid
    and not exists (select from ${s}.job j where j.id = k.job_id and j.status = 2) returning 1)
select 1 from stop union all select 1 from failure`;

const deleteOrphans = (s: string, positions: string) => `with doomed as materialized (
  select j.id, j.type_name, j.status from ${s}.job j
  where j.chain_id = $1::text::uuid and j.step > 1
    and not exists (select from ${s}.job f where f.id = $1::text::uuid and f.chain_status is not null)
  order by j.step desc limit $2::text::bigint for update),
queued as (delete from ${s}.open_job o using doomed d where o.job_id = d.id),
waits as (delete from ${s}.blocker b using doomed d where b.job_id = d.id),
notes as (delete from ${s}.stopped k using doomed d where k.job_id = d.id),
failures as (delete from ${s}.failure k using doomed d where k.chain_id = $1::text::uuid and k.job_id = d.id),
under_way as materialized (select pg_current_xact_id()),
gone as (delete from ${s}.job j using doomed d where j.id = d.id),
counted as (
  insert into ${s}.tally_change (n, type_name, status, count)
  select nextval(${positions}), d.type_name, d.status, -d.count
  from under_way, (select d.type_name, d.status, count(*) as count from doomed d where d.status > 0 group by d.type_name, d.status) d)
select 1 from doomed`;

/** The fence begins above all fences that the lost row may have given, so that earlier claims of the job cannot settle it. */
const reopen = (
  s: string,
) => `insert into ${s}.open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, fence,
  blockers_left, state, rank, has_blockers, type_name, lane, lane_weight, lane_holds, noted, on_end)
select j.id, j.chain_id, j.position, moment.due_at, 0, j.step, j.attempt, j.fence + 1000000, w.waits_for,
  case when w.waits_for > 0 then 2 when moment.due_at > moment.now or j.limits is not null then 1 else 0 end, ~j.priority,
  exists (select from ${s}.blocker b where b.job_id = j.id), ${claimNameOf("j")}, ${laneColumns("j.limits")},
  (select true from ${s}.memo m where m.job_id = j.id limit 1),
  case when exists (select from ${s}.compensation c where c.chain_id = f.id)
    or exists (select from ${s}.deadline d where d.chain_id = f.id) then true end
from (
  select l.* from ${s}.job l where l.id = $1::text::uuid or l.chain_id = $1::text::uuid and l.step > 1
  order by l.step desc limit 1) j
join ${s}.job f on f.id = j.chain_id and f.chain_status = 0
cross join lateral (${waitsFor(s, "j.id")}) w
cross join lateral (select m.now, greatest(coalesce(j.due_at, 0), m.now) as due_at from (select ${momentOf("$2")} as now) m) moment
where j.status = 0
on conflict (job_id) do nothing returning 1`;

const recount = (s: string) => `update ${s}.open_job o set
  blockers_left = w.waits_for,
  state = case when w.waits_for > 0 then 2 when o.due_at > w.now or o.lane is not null then 1 else 0 end,
  due_at = case when w.waits_for > 0 then o.due_at else greatest(o.due_at, w.now) end
from (select w.waits_for, ${momentOf("$2")} as now from (${waitsFor(s, "$1::text::uuid")}) w) w
where o.job_id = $1::text::uuid and (o.blockers_left <> w.waits_for or (o.state = 2) <> (w.waits_for > 0)) returning 1`;

/** Leaves a release of the chain for this job, which an exchange resumes. */
const releaseAgain = (s: string, positions: string) => `insert into ${s}.release (position, chain_id, from_id, until_id)
select nextval(${positions}), f.id, o.job_id, o.job_id
from ${s}.job f
join ${s}.blocker b on b.chain_id = f.id and b.job_id = $2::text::uuid and b.counted
join ${s}.open_job o on o.job_id = b.job_id and o.state = 2
join ${s}.job j on j.id = o.job_id and j.on_blocker_failure = 0
where f.id = $1::text::uuid and f.chain_status > 1
  and not exists (select from ${s}.release r where r.chain_id = f.id and o.job_id between r.from_id and r.until_id)
limit 1 returning 1`;
