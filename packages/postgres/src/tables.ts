import type { Schema } from "./schema.ts";
import { upkeepTables } from "./upkeep/tables.ts";

/**
 * The history grows without end, the open work does not. So `job` is written at a job's start and end only, and `open_job` has a
 * row for each job that is neither completed, failed nor cancelled.
 *
 * Moments are milliseconds since 1970 in doubles, which no time zone or date style changes.
 */
export function createTables({ quoted: s }: Schema): string[] {
  return [
    createPositions(s),
    ...createJob(s),
    ...createOpenJob(s),
    ...createBlocker(s),
    ...createRelease(s),
    createStopped(s),
    ...createDeduplication(s),
    createTag(s),
    createWorker(s),
    ...upkeepTables(s),
    createMeta(s),
  ];
}

/** The sequence that gives jobs their positions. */
function createPositions(s: string): string {
  return `create sequence ${s}.position`;
}

/**
 * The jobs, with those that have ended. A chain is in the row of its first job.
 *
 * - status: 0 open, 1 completed, 2 failed, 3 cancelled
 * - chain_status, set on a chain's first job only: 0 active, 1 completed, 2 failed, 3 cancelled
 * - awaited, on a chain's first job only: a process waits for the end of the chain, see `noteAwaited`
 * - tags, on a chain's first job only: the tags of the chain as JSON; see `createTag`
 * - on_blocker_failure, what the job does when a blocker fails: 0 fail, 1 wait
 */
function createJob(s: string): string[] {
  return [
    // No index contains what changes at the end of a job, so the row is updated on its page as long as that has room: for each row
    // also for the longer one with the end. With half of each page free, 30 % of the ends had to write to the indexes as well.
    `create table ${s}.job (
  id uuid not null,
  chain_id uuid not null,
  position bigint not null,
  created_at double precision not null,
  step integer not null,
  attempt integer not null,
  fence integer not null default 0,
  priority smallint not null,
  on_blocker_failure smallint not null,
  status smallint not null,
  awaited boolean not null default false,
  type_name text collate "C" not null,
  input text not null,
  errors text,
  context text,
  chain_status smallint,
  key_scope smallint,
  key text collate "C",
  key_until double precision,
  tags text,
  due_at double precision,
  started_at double precision,
  ended_at double precision,
  ended_by text,
  next_job_id uuid,
  ended_job_id uuid,
  failed_by uuid,
  reason text,
  output text,
  constraint job_pkey primary key (id)
) with (fillfactor = 40, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05)`,
    // The order in which retention looks at chains. Chains end in another order, but with an index by their ends every end would
    // write to all indexes, and a log of the ends would be one more row and index entry for each.
    `create index job_oldest on ${s}.job (position) where step = 1`,
    `create index job_key on ${s}.job (key, id) where key is not null`,
    `create index job_chain on ${s}.job (chain_id, step) where step > 1`,
  ];
}

/**
 * The jobs that have not ended.
 *
 * - state: 0 ready or leased, 1 scheduled, 2 blocked
 * - rank: the complement of the priority, so that indexes ascend
 */
function createOpenJob(s: string): string[] {
  return [
    // No index contains what a claim changes, and pages have room for the leased row: a claim is a heap-only update.
    `create table ${s}.open_job (
  job_id uuid not null,
  chain_id uuid not null,
  position bigint not null,
  due_at double precision not null,
  leased_until double precision not null,
  step integer not null,
  attempt integer not null,
  fence integer not null default 0,
  blockers_left integer not null,
  state smallint not null,
  rank smallint not null,
  has_blockers boolean not null,
  type_name text collate "C" not null,
  started_at double precision,
  leased_by text collate "C",
  constraint open_job_pkey primary key (job_id)
) with (fillfactor = 40, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  autovacuum_analyze_scale_factor = 0.2, autovacuum_analyze_threshold = 2000)`,
    `create index open_job_ready on ${s}.open_job (rank, type_name, position) where state = 0`,
    // Jobs at other priorities than 0, for claims that find several priorities: see claim_v1.
    `create index open_job_ranked on ${s}.open_job (type_name, rank, position) where state = 0 and rank <> -1`,
    `create index open_job_due on ${s}.open_job (due_at) where state = 1`,
    `create index open_job_due_by_type on ${s}.open_job (type_name, due_at) where state = 1`,
  ];
}

/** The chains that jobs wait for, or waited for. */
function createBlocker(s: string): string[] {
  return [
    `create table ${s}.blocker (
  job_id uuid not null,
  position integer not null,
  chain_id uuid not null,
  -- Whether the chain had not completed when the job's blockers_left was last counted.
  counted boolean not null,
  constraint blocker_pkey primary key (job_id, position)
)`,
    `create index blocker_chain on ${s}.blocker (chain_id, job_id, position)`,
  ];
}

/** Ended chains with jobs that are still to be released, as ranges of job ids: see release_v1. */
function createRelease(s: string): string[] {
  return [
    `create table ${s}.release (
  position bigint not null,
  chain_id uuid not null,
  from_id uuid not null,
  until_id uuid not null,
  constraint release_pkey primary key (position)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`,
    `create index release_chain on ${s}.release (chain_id)`,
  ];
}

/**
 * Jobs that failed or were cancelled: they are rare, and lists look for them. With an index on the status every end of a job would
 * write to all indexes.
 */
function createStopped(s: string): string {
  return `create table ${s}.stopped (
  job_id uuid not null,
  chain_id uuid not null,
  constraint stopped_pkey primary key (job_id),
  constraint stopped_chain unique (chain_id)
)`;
}

/** Which chain holds a deduplication key, see `heldKey`. `scope`: 0 active, 1 any, 2 debounce, 3 throttle. */
function createDeduplication(s: string): string[] {
  return [
    `create table ${s}.deduplication (
  key text collate "C" not null,
  chain_id uuid not null,
  scope smallint not null,
  until double precision,
  constraint deduplication_pkey primary key (key)
)`,
    `create index deduplication_until on ${s}.deduplication (until) where until is not null`,
  ];
}

/** Finds chains by their tags, in the order of their ids. Chains without tags have no row here. */
function createTag(s: string): string {
  return `create table ${s}.tag (
  name text collate "C" not null,
  value text collate "C" not null,
  chain_id uuid not null,
  constraint tag_pkey primary key (name, value, chain_id)
)`;
}

function createWorker(s: string): string {
  return `create table ${s}.worker (
  id text collate "C" not null,
  name text not null,
  type_names text not null,
  concurrency integer not null,
  schema_version integer not null,
  holds integer not null,
  started_at double precision not null,
  last_seen_at double precision not null,
  alive_until double precision not null,
  constraint worker_pkey primary key (id)
)`;
}

/** One row about the whole schema. For the positions see `settledPositionFunction`. */
function createMeta(s: string): string {
  return `create table ${s}.meta (
  only_row boolean not null default true,
  version integer not null,
  compatible_from integer not null default 1,
  store_id uuid not null default gen_random_uuid(),
  settled_position bigint not null default 0,
  noted_position bigint not null default 0,
  noted_xid xid8 not null default '0',
  constraint meta_pkey primary key (only_row),
  constraint meta_one_row check (only_row)
)`;
}
