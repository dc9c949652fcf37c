import type { DoctorCheck } from "chainwright";
import { typeOf } from "../claim-names.ts";
import type { SqliteValue } from "../driver.ts";
import type { Tables } from "../schema.ts";
import { noteTablesOf } from "../notes/tables.ts";
import { jobsWithoutPlace, wrongGates } from "./places.ts";

/** Checks that read page by page. */
export type PagedCheck = Exclude<DoctorCheck, "counts" | "schema">;

/** One walk along an index: the keys of a page, and the faults of those rows. */
export interface Walk {
  /** The keys after a given one: the parameters are the key's parts and the limit. */
  readonly page: string;
  readonly key: readonly string[];
  /** The key before all others. */
  readonly start: readonly SqliteValue[];
  /** Selects `kind, id, chain, type, worker`, for keys given as JSON: `p.value ->> 0` and so on. */
  readonly faults: string;
  readonly parameters: (keys: string, now: number, heldBeforeMs: number) => readonly SqliteValue[];
}

export function walksOf(t: Tables): Readonly<Record<PagedCheck, readonly Walk[]>> {
  return {
    jobs: [readyJobs(t), laterJobs(t), firstJobs(t), ...noteTablesOf(t).map((table) => strayNotes(t, table))],
    leases: [leases(t), gates(t)],
    blockers: [blockers(t), failures(t), blocked(t)],
    keys: [keys(t), tags(t)],
  };
}

const page = "json_each(?) p";
const keysOnly: Walk["parameters"] = (keys) => [keys];
/** A row without an id is named by its number. */
const rowName = (number: string) => `'row ' || (${number})`;
const idOf = (t: Tables, seq: string) =>
  `coalesce((select i.id from ${t.job} i where i.seq = ${seq}), ${rowName(seq)})`;

const readyJobs = (t: Tables): Walk => ({
  page: `select job from ${t.openJob} where job > ? order by job limit ?`,
  key: ["job"],
  start: [-1],
  faults: `select 'open-job-without-job' as kind, coalesce(j.id, ${rowName("o.job")}) as id, ${idOf(t, "o.chain")} as chain, ${typeOf("o.type_name")} as type,
    null as worker
  from ${page} join ${t.openJob} o on o.job = p.value ->> 0 left join ${t.job} j on j.seq = o.job
  where j.seq is null or j.status <> 'open'`,
  parameters: keysOnly,
});

/** A chain with more steps than a page is checked by its first steps. */
const laterJobs = (t: Tables): Walk => ({
  page: `select chain from ${t.job} where chain > ? order by chain, step limit ?`,
  key: ["chain"],
  start: [-1],
  faults: `select distinct 'job-without-chain' as kind, ${rowName("p.value ->> 0")} as id, ${rowName("p.value ->> 0")} as chain,
    null as type, null as worker
  from ${page} left join ${t.job} f on f.seq = p.value ->> 0 and f.chain is null where f.seq is null`,
  parameters: keysOnly,
});

const firstJobs = (t: Tables): Walk => ({
  page: `select seq from ${t.job} where seq > ? order by seq limit ?`,
  key: ["seq"],
  start: [-1],
  faults: `select case when l.status = 'open' then 'chain-without-open-job' else 'chain-not-ended' end as kind, f.id, f.id as chain,
    l.type_name as type, null as worker
  from ${page} join ${t.job} f on f.seq = p.value ->> 0 and f.chain_status = 'active'
  join ${t.job} l on l.seq = coalesce(
    (select n.seq from ${t.job} n where n.chain = f.seq order by n.chain, n.step desc limit 1), f.seq)
  where l.status not in ('open', 'blocked')
    or l.status = 'open' and not exists (select 1 from ${t.openJob} o where o.job = l.seq)`,
  parameters: keysOnly,
});

/** A job may have a thousand rows in such a table, so it goes from job to job. */
const strayNotes = (t: Tables, table: string): Walk => ({
  page: `with recursive noted (job) as (
    select (select job from ${table} where job > ? order by job limit 1)
    union all select (select job from ${table} where job > noted.job order by job limit 1) from noted where noted.job is not null)
  select job from noted where job is not null limit ?`,
  key: ["job"],
  start: [-1],
  faults: `select 'note-without-job' as kind, ${rowName("p.value ->> 0")} as id, null as chain, null as type, null as worker
  from ${page} left join ${t.job} j on j.seq = p.value ->> 0 where j.seq is null`,
  parameters: keysOnly,
});

const leases = (t: Tables): Walk => ({
  ...readyJobs(t),
  faults: `select 'lease-of-no-one' as kind, ${idOf(t, "o.job")} as id, ${idOf(t, "o.chain")} as chain, ${typeOf("o.type_name")} as type, o.leased_by as worker
  from ${page} join ${t.openJob} o on o.job = p.value ->> 0
  where o.leased_until > ? and o.started_at <= ?
    and not exists (select 1 from ${t.worker} w where w.id = o.leased_by and w.alive_until > ?)
  union all ${jobsWithoutPlace(t, page, (seq) => idOf(t, seq))}`,
  parameters: (keys, now, heldBeforeMs) => [keys, now, now - heldBeforeMs, now, keys],
});

const gates = (t: Tables): Walk => ({
  page: `select id from ${t.gate} where id > ? order by id limit ?`,
  key: ["id"],
  start: [-1],
  faults: wrongGates(t, page),
  parameters: keysOnly,
});

const blockers = (t: Tables): Walk => ({
  page: `select job, position from ${t.blocker} where (job, position) > (?, ?) order by job, position limit ?`,
  key: ["job", "position"],
  start: [-1, -1],
  faults: `select case when j.seq is null then 'blocker-without-job' else 'blocker-without-chain' end as kind,
    coalesce(j.id, ${rowName("b.job")}) as id, ${idOf(t, "b.chain")} as chain, j.type_name as type, null as worker
  from ${page} join ${t.blocker} b on b.job = p.value ->> 0 and b.position = p.value ->> 1
  left join ${t.job} j on j.seq = b.job left join ${t.job} f on f.seq = b.chain and f.chain is null
  where j.seq is null or f.seq is null and j.status in ('open', 'blocked')`,
  parameters: keysOnly,
});

const failures = (t: Tables): Walk => ({
  page: `select job from ${t.failure} where job > ? order by job limit ?`,
  key: ["job"],
  start: [-1],
  faults: `select 'stopped-without-job' as kind, ${idOf(t, "f.job")} as id, ${idOf(t, "coalesce(j.chain, j.seq)")} as chain,
    f.type_name as type, null as worker
  from ${page} join ${t.failure} f on f.job = p.value ->> 0 left join ${t.job} j on j.seq = f.job
  where j.status is not 'failed'`,
  parameters: keysOnly,
});

/** How many chains a blocked job `j` waits for: see `counted`, including the releases that are still to come. */
export const waitsFor = (
  t: Tables,
) => `(select count(distinct b.chain) from ${t.blocker} b left join ${t.job} f on f.seq = b.chain
    where b.job = j.seq and b.counted = 1 and (f.chain_status is not 'completed' or exists (
      select 1 from ${t.release} r where r.chain = b.chain and r.from_job <= b.job)))`;

const blocked = (t: Tables): Walk => ({
  page: `select type_name, seq from ${t.job} where status = 'blocked' and (type_name, seq) > (?, ?) order by type_name, seq limit ?`,
  key: ["type_name", "seq"],
  start: ["", -1],
  faults: `select 'missed-release' as kind, j.id, ${idOf(t, "coalesce(j.chain, j.seq)")} as chain, j.type_name as type, null as worker
  from ${page} join ${t.job} j on j.seq = p.value ->> 1
  where j.blockers_left <> ${waitsFor(t)} or j.blockers_left = 0
  union all
  select distinct 'missed-failure', j.id, f.id, j.type_name, null
  from json_each(?) p join ${t.job} j on j.seq = p.value ->> 1 and j.on_blocker_failure = 'fail'
  join ${t.blocker} b on b.job = j.seq join ${t.job} f on f.seq = b.chain and f.chain_status in ('failed', 'cancelled')
  where not exists (select 1 from ${t.release} r where r.chain = f.seq and r.from_job <= j.seq)`,
  parameters: (keys) => [keys, keys],
});

const keys = (t: Tables): Walk => ({
  page: `select key from ${t.deduplication} where key > ? order by key limit ?`,
  key: ["key"],
  start: [""],
  faults: `select 'stale-key' as kind, d.key as id, ${idOf(t, "d.chain")} as chain, f.type_name as type, null as worker
  from ${page} join ${t.deduplication} d on d.key = p.value ->> 0
  left join ${t.job} f on f.seq = d.chain and f.chain is null
  where f.seq is null or f.key_scope = 'active' and f.chain_status <> 'active'`,
  parameters: keysOnly,
});

const tags = (t: Tables): Walk => ({
  page: `select name, value, chain_id from ${t.tag} where (name, value, chain_id) > (?, ?, ?) order by name, value, chain_id limit ?`,
  key: ["name", "value", "chain_id"],
  start: ["", "", ""],
  faults: `select 'stale-tag' as kind, json_array(p.value ->> 0, p.value ->> 1) as id, p.value ->> 2 as chain,
    f.type_name as type, null as worker
  from ${page} left join ${t.job} f on f.id = p.value ->> 2 and f.chain is null
  where ${hasTag("f.tags", "p.value ->> 0", "p.value ->> 1")} is not 1`,
  parameters: keysOnly,
});

/** Whether tags as JSON hold one: not by a path, in which a name would have to be quoted. */
export const hasTag = (json: string, name: string, value: string): string =>
  `(select 1 from json_each(${json}) e where e.key = ${name} and e.value = ${value})`;
