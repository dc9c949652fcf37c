import { typeOf } from "../claim-names.ts";
import type { DoctorCheck, FaultKind } from "chainwright";
import { noteTablesOf } from "../notes/tables.ts";
import { jobsWithoutPlaces, placesWithoutJobs } from "./places.ts";
import { waitsFor } from "./chains-awaited.ts";
import type { Scan } from "./scan.ts";

/** Checks that read page by page. */
export type PagedCheck = Exclude<DoctorCheck, "counts" | "schema">;

const fault = (kind: FaultKind, values: string) => `select '${kind}' as kind, ${values}`;

/** The scans of each check, in the schema of this quoted name. A page is read in one statement, so it shows one moment. */
export function scansOf(s: string): Readonly<Record<PagedCheck, readonly Scan[]>> {
  return {
    jobs: [openJobs(s), laterJobs(s), firstJobs(s), ...noteTablesOf(s).map((table) => strayNotes(s, table))],
    leases: [leases(s), jobsWithoutPlaces(s), placesWithoutJobs(s)],
    blockers: [blockers(s), stopped(s), failures(s), blocked(s)],
    keys: [keys(s), tags(s)],
  };
}

const openJobPage = (
  s: string,
  columns: string,
  condition = "true",
) => `select o.job_id, o.chain_id, ${typeOf("o.type_name")} as type_name${columns}
  from ${s}.open_job o where o.job_id > coalesce($2::text::uuid, '00000000-0000-0000-0000-000000000000') and ${condition}
  order by o.job_id limit $3::text::bigint`;

const openJobs = (s: string): Scan => ({
  page: openJobPage(s, ""),
  cursor: "p.job_id::text",
  faults: `${fault("open-job-without-job", "p.job_id::text, p.chain_id::text, p.type_name::text, null")}
  from page p left join ${s}.job j on j.id = p.job_id where j.id is null or j.status <> 0`,
});

/** Of a chain with more steps than a page only the first ones are read. */
const laterJobs = (s: string): Scan => ({
  page: `select j.chain_id from ${s}.job j
  where j.step > 1 and j.chain_id > coalesce($2::text::uuid, '00000000-0000-0000-0000-000000000000')
  order by j.chain_id, j.step limit $3::text::bigint`,
  cursor: "p.chain_id::text",
  faults: `select distinct 'job-without-chain', p.chain_id::text, p.chain_id::text, null::text, null::text
  from page p left join ${s}.job f on f.id = p.chain_id and f.chain_status is not null where f.id is null`,
});

const firstJobs = (s: string): Scan => ({
  page: `select f.id, f.position, f.chain_status, f.status, f.type_name from ${s}.job f
  where f.step = 1 and f.position > coalesce($2::text::bigint, -1)
  order by f.position limit $3::text::bigint`,
  cursor: "p.position::text",
  faults: `select case l.status when 0 then 'chain-without-open-job' else 'chain-not-ended' end, p.id::text, p.id::text,
    l.type_name::text, null
  from page p cross join lateral (
    select l.id, l.status, l.type_name from (
      (select j.id, j.status, j.type_name, j.step from ${s}.job j where j.chain_id = p.id and j.step > 1 order by j.step desc limit 1)
      union all select p.id, p.status, p.type_name, 1) l
    order by l.step desc limit 1) l
  where p.chain_status = 0 and (l.status <> 0 or not exists (select from ${s}.open_job o where o.job_id = l.id))`,
});

/** A job may have a thousand rows in such a table, so it goes from job to job. */
const strayNotes = (s: string, table: string): Scan => ({
  page: `with recursive noted (job_id) as (
    select (select n.job_id from ${table} n where n.job_id > coalesce($2::text::uuid, '00000000-0000-0000-0000-000000000000') order by n.job_id limit 1)
    union all
    select (select n.job_id from ${table} n where n.job_id > d.job_id order by n.job_id limit 1) from noted d where d.job_id is not null)
  select d.job_id from noted d where d.job_id is not null limit $3::text::bigint`,
  cursor: "p.job_id::text",
  faults: `${fault("note-without-job", "p.job_id::text, null::text, null::text, null::text")}
  from page p left join ${s}.job j on j.id = p.job_id where j.id is null`,
});

const leases = (s: string): Scan => ({
  page: openJobPage(s, ", o.leased_by, o.leased_until, o.started_at"),
  cursor: "p.job_id::text",
  faults: `${fault("lease-of-no-one", "p.job_id::text, p.chain_id::text, p.type_name::text, p.leased_by::text")}
  from page p
  where p.leased_until > $1::text::double precision and p.started_at <= $1::text::double precision - $4::text::double precision
    and not exists (select from ${s}.worker w where w.id = p.leased_by and w.alive_until > $1::text::double precision)`,
});

const blockers = (s: string): Scan => ({
  page: `select b.job_id, b.position, b.chain_id from ${s}.blocker b
  where $2::text is null or (b.job_id, b.position) > (split_part($2::text, ' ', 1)::uuid, split_part($2::text, ' ', 2)::integer)
  order by b.job_id, b.position limit $3::text::bigint`,
  cursor: "p.job_id || ' ' || p.position",
  faults: `select case when j.id is null then 'blocker-without-job' else 'blocker-without-chain' end, p.job_id::text,
    p.chain_id::text, j.type_name::text, null
  from page p left join ${s}.job j on j.id = p.job_id left join ${s}.job f on f.id = p.chain_id and f.chain_status is not null
  where j.id is null or f.id is null and j.status = 0`,
});

const stopped = (s: string): Scan => ({
  page: `select k.job_id, k.chain_id from ${s}.stopped k
  where k.job_id > coalesce($2::text::uuid, '00000000-0000-0000-0000-000000000000') order by k.job_id limit $3::text::bigint`,
  cursor: "p.job_id::text",
  faults: `${fault("stopped-without-job", "p.job_id::text, p.chain_id::text, j.type_name::text, null")}
  from page p left join ${s}.job j on j.id = p.job_id where j.id is null or j.status < 2`,
});

const failures = (s: string): Scan => ({
  page: `select k.chain_id, k.job_id, k.type_name from ${s}.failure k
  where k.chain_id > coalesce($2::text::uuid, '00000000-0000-0000-0000-000000000000') order by k.chain_id limit $3::text::bigint`,
  cursor: "p.chain_id::text",
  faults: `${fault("stopped-without-job", "p.job_id::text, p.chain_id::text, p.type_name::text, null")}
  from page p left join ${s}.job j on j.id = p.job_id where j.id is null or j.status <> 2`,
});

const blocked = (s: string): Scan => ({
  page: openJobPage(s, ", o.blockers_left, o.state, o.waits"),
  cursor: "p.job_id::text",
  faults: `${fault("missed-release", "p.job_id::text, p.chain_id::text, p.type_name::text, null")}
  from page p cross join lateral (${waitsFor(s, "p.job_id")}) w
  where p.blockers_left <> w.waits_for or (p.state = 2 and p.waits is not true) <> (p.blockers_left > 0)
  union all
  select distinct on (p.job_id) 'missed-failure', p.job_id::text, f.id::text, p.type_name::text, null
  from page p join ${s}.job j on j.id = p.job_id and j.on_blocker_failure = 0
  join ${s}.blocker b on b.job_id = p.job_id join ${s}.job f on f.id = b.chain_id
  where p.state = 2 and f.chain_status > 1 and not exists (
    select from ${s}.release r where r.chain_id = f.id and p.job_id between r.from_id and r.until_id)`,
});

const keys = (s: string): Scan => ({
  page: `select d.key, d.chain_id, d.scope from ${s}.deduplication d
  where $2::text is null or d.key > $2::text collate "C" order by d.key limit $3::text::bigint`,
  cursor: "p.key::text",
  faults: `${fault("stale-key", "p.key::text, p.chain_id::text, f.type_name::text, null")}
  from page p left join ${s}.job f on f.id = p.chain_id and f.chain_status is not null
  where f.id is null or p.scope = 0 and f.chain_status <> 0`,
});

const tags = (s: string): Scan => ({
  page: `select g.name, g.value, g.chain_id from ${s}.tag g
  where $2::text is null
    or (g.name, g.value, g.chain_id) > ($2::text::json->>0, $2::text::json->>1, ($2::text::json->>2)::uuid)
  order by g.name, g.value, g.chain_id limit $3::text::bigint`,
  cursor: "json_build_array(p.name, p.value, p.chain_id)::text",
  faults: `${fault("stale-tag", "json_build_array(p.name, p.value)::text, p.chain_id::text, f.type_name::text, null")}
  from page p left join ${s}.job f on f.id = p.chain_id and f.chain_status is not null
  where f.id is null or f.tags::jsonb->>p.name::text is distinct from p.value`,
});
