import { typeOf } from "../claim-names.ts";
import { givesBackTo } from "../limits/give-back.ts";
import { gatesOf } from "../limits/rules-of-gates.ts";
import type { Scan } from "./scan.ts";
import type { Steps } from "./steps.ts";

/** Whether a job `o` holds the places of its limits: from its first lease on, until it ends or waits without them. */
const holds = "(o.state = 0 or o.lane_holds and o.state in (1, 3))";

/** A job that waits may have given its places back, so only one that has begun must have them. */
export const jobsWithoutPlaces = (s: string): Scan => ({
  page: `select o.job_id, o.chain_id, ${typeOf("o.type_name")} as type_name, o.state, o.lane
  from ${s}.open_job o where o.job_id > coalesce($2::text::uuid, '00000000-0000-0000-0000-000000000000')
  order by o.job_id limit $3::text::bigint`,
  cursor: "p.job_id::text",
  faults: `select 'job-without-place' as kind, p.job_id::text, p.chain_id::text, p.type_name::text, null::text
  from page p where p.lane is not null and p.state = 0 and exists (${missingGates(s, "p.job_id")})`,
});

export const placesWithoutJobs = (s: string): Scan => ({
  page: `select p.job_id from ${s}.place p
  where p.job_id > coalesce($2::text::uuid, '00000000-0000-0000-0000-000000000000')
  order by p.job_id limit $3::text::bigint`,
  cursor: "p.job_id::text",
  faults: `select distinct 'place-without-job', p.job_id::text, null::text, null::text, null::text
  from page p where not exists (select from ${s}.open_job o where o.job_id = p.job_id and ${holds})`,
});

function missingGates(s: string, job: string): string {
  return `select g.gate from ${s}.job j cross join unnest(${gatesOf("j.limits")}) as g(gate)
    where j.id = ${job} and not exists (select from ${s}.place h where h.gate = g.gate and h.job_id = ${job})`;
}

/** The lock keeps the job from beginning or ending meanwhile. */
const lockJob = (s: string) => `select from ${s}.open_job o where o.job_id = $1::text::uuid for update`;

export function freePlaces(s: string, id: string): Steps {
  return [
    { text: lockJob(s), parameters: [id] },
    {
      text: `with freed as (
  update ${s}.place p set job_id = null
  where p.job_id = $1::text::uuid and not exists (select from ${s}.open_job o where o.job_id = p.job_id and ${holds})
  returning p.gate),
events as (${givesBackTo(s, "freed")})
select 1 from freed`,
      parameters: [id],
    },
  ];
}

/** Takes a free place of each gate, or makes one above the others. */
export function takePlaces(s: string, id: string): Steps {
  return [
    { text: lockJob(s), parameters: [id] },
    {
      text: `with missing as materialized (
  select m.gate from (${missingGates(s, "$1::text::uuid")}) m
  where exists (select from ${s}.open_job o where o.job_id = $1::text::uuid and o.state = 0 and o.lane is not null)),
free as materialized (
  select m.gate, f.at from missing m cross join lateral (
    select p.ctid as at from ${s}.place p where p.gate = m.gate and p.job_id is null order by p.n limit 1 for update skip locked) f),
taken as (update ${s}.place p set job_id = $1::text::uuid from free f where p.ctid = f.at returning 1),
made as (
  insert into ${s}.place (gate, n, job_id)
  select m.gate, coalesce((select max(p.n) from ${s}.place p where p.gate = m.gate), 0) + 1, $1::text::uuid
  from missing m where m.gate not in (select f.gate from free f) returning 1)
select * from taken union all select * from made`,
      parameters: [id],
    },
  ];
}
