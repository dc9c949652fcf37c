import { literal, type Schema } from "../schema.ts";

/*
 * Limits by key. A job under limits waits in the inbox or in a lane, outside the index that claims read, until it gets a place
 * of each of its limits.
 *
 * A gate is one limit with one key: the name of the limit, a control character, and the key. So gates sort by limit and key.
 */

/** SQL for the character between the limit and the key of a gate. No limit's name contains it. */
export const gateSeparator = "E'\\x01'";

/** SQL for the limit of a gate. */
export const limitOf = (gate: string) => `pg_catalog.split_part(${gate}, ${gateSeparator}, 1)`;

/** SQL for the key of a gate. */
export const keyOf = (gate: string) =>
  `pg_catalog.substr(${gate}, pg_catalog.strpos(${gate}, ${gateSeparator}) operator(pg_catalog.+) 1)`;

/**
 * The indexes of lanes by name have it, which sorts like that of the column. So the primary key does not serve a condition on the name
 * alone: the planner would read all of it if its statistics say that there are few lanes, and another index is larger.
 */
const otherCollation = 'collate "POSIX"';

/** SQL for whether a lane is of this claim name, where it is looked up by that. */
export const isNamed = (lane: string, name: string) => `${lane}.type_name ${otherCollation} = ${name}`;

/** The lane where jobs under limits wait until a claim looks at them for the first time. */
export const inboxLane = "'00000000-0000-0000-0000-000000000000'::uuid";

const hot = "fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000";

/** The tables and columns of limits, in the schema of this quoted name. */
export function limitTables(s: string): readonly string[] {
  return [...changeJobs(s), ...createLanes(s), ...createPlaces(s), ...createRules(s)];
}

/**
 * - job.limits: null for nearly all jobs, otherwise JSON, see `storedLimits`
 * - lane: the lane of a job under limits; null for nearly all jobs
 * - lane_weight: null is 1
 * - lane_holds: whether the job keeps its places while it waits for a retry; null is no
 * - state 3: it waits in the inbox or in its lane
 *
 * The jobs in lanes have rows of their own, because an index on `open_job` would lock that table while it is built. A row here is
 * only a place to look at: what counts is the state of the job.
 */
function changeJobs(s: string): string[] {
  return [
    `alter table ${s}.job add column limits text`,
    `alter table ${s}.open_job
  add column lane uuid,
  add column lane_weight smallint,
  add column lane_holds boolean`,
    `create table ${s}.parked (
  lane uuid not null,
  job_id uuid not null,
  position bigint not null,
  rank smallint not null,
  type_name text collate "C" not null,
  constraint parked_pkey primary key (lane, type_name, rank, position)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`,
    // Those that have kept their places for a retry, with the moment at which a claim looks whether they may begin.
    `create table ${s}.kept (
  job_id uuid not null,
  look_at double precision not null,
  type_name text collate "C" not null,
  constraint kept_pkey primary key (job_id)
)`,
    `create index kept_look on ${s}.kept (type_name, look_at)`,
  ];
}

/**
 * The jobs of one claim name with the same keys wait in one lane.
 *
 * - state: 0 idle, 1 open, 2 closed until a place of the gate `blocked_by` is free, 3 closed until a moment. Closed lanes are
 *   looked at again at `look_at` at the latest; it is null for others, and not in the condition of the index by gates, so that the
 *   planner cannot take one of these two indexes for the other.
 * - rank: that of its best job
 * - turn: lanes of one claim name and rank are visited in this order
 * - credit: how many more jobs the lane may give in its present turn; 0: its next turn has not begun
 */
function createLanes(s: string): string[] {
  return [
    `create sequence ${s}.turn`,
    `create table ${s}.lane (
  key uuid not null,
  turn bigint not null,
  look_at double precision,
  idle_at double precision,
  credit integer not null default 0,
  state smallint not null,
  rank smallint not null,
  weight smallint not null,
  type_name text collate "C" not null,
  blocked_by text collate "C",
  gates text[] collate "C" not null,
  constraint lane_pkey primary key (key, type_name)
) with (${hot})`,
    `create index lane_open on ${s}.lane (type_name ${otherCollation}, rank, turn) where state = 1`,
    `create index lane_closed on ${s}.lane (blocked_by, state, type_name, rank, turn) where state > 1`,
    `create index lane_look on ${s}.lane (type_name ${otherCollation}, look_at) where look_at is not null`,
    `create index lane_idle on ${s}.lane (idle_at) where state = 0`,
    // A place of this gate is free, or its rule has changed: as many lanes may be opened. All lanes of a limit if there is no key.
    `create table ${s}.gate_event (
  id bigint generated always as identity,
  gate text collate "C" not null,
  lanes integer not null,
  constraint gate_event_pkey primary key (id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`,
  ];
}

/**
 * A place is held by at most one job, so that no more jobs run than there are places. Jobs under a limit without a number hold places
 * as well, so that they count when it gets one. A token rests after each use, so that it is not
 * used twice within a span of the rate. Both are made when they are needed, numbered from 1.
 */
function createPlaces(s: string): string[] {
  return [
    `create table ${s}.place (
  gate text collate "C" not null,
  n integer not null,
  job_id uuid,
  constraint place_pkey primary key (gate, n)
) with (${hot})`,
    `create index place_free on ${s}.place (gate, n) where job_id is null`,
    `create index place_job on ${s}.place (job_id) where job_id is not null`,
    `create table ${s}.token (
  gate text collate "C" not null,
  n integer not null,
  free_at double precision not null,
  constraint token_pkey primary key (gate, n)
) with (${hot})`,
    `create index token_free on ${s}.token (gate, free_at)`,
  ];
}

/**
 * What code has declared for a limit, what overrides it for all keys and for one key, and pauses. `Infinity`: until it is resumed.
 *
 * The breaker of a key:
 *
 * - failed_at, failed_by: the failures that count, with the attempts that failed, none of which counts from failed_until on
 * - open_until: set from when it opens until it closes; half open after this moment
 * - failures: how many it has counted
 * - probe: the job that has begun last since it is half open
 */
function createRules(s: string): string[] {
  return [
    `create table ${s}.limit_rule (
  name text collate "C" not null,
  is_declared boolean not null,
  code_version bigint,
  concurrency integer,
  rate_count integer,
  rate_per_ms double precision,
  rate_spread boolean,
  override_concurrency integer,
  override_rate_count integer,
  override_rate_per_ms double precision,
  override_rate_spread boolean,
  paused_until double precision,
  constraint limit_rule_pkey primary key (name)
)`,
    `create table ${s}.gate_rule (
  gate text collate "C" not null,
  concurrency integer,
  rate_count integer,
  rate_per_ms double precision,
  rate_spread boolean,
  paused_until double precision,
  failed_at double precision[],
  failed_by text[],
  failed_until double precision,
  failures integer,
  open_until double precision,
  probe uuid,
  constraint gate_rule_pkey primary key (gate)
)`,
  ];
}

/**
 * SQL for whether a place is held. Written such that the planner cannot choose the index by jobs: if its statistics say that few places
 * are held, it would read those of all gates.
 */
export const isHeld = (place: string) => `(${place}.job_id is null) is false`;

/** The sequence of turns, as a text literal. */
export const turns = ({ quoted }: Schema) => literal(`${quoted}.turn`);

/** SQL for the numbers that count, of a row `r` of `limit_rule` and perhaps a row `k` of `gate_rule`. */
export const effective = {
  concurrency: "coalesce(k.concurrency, r.override_concurrency, r.concurrency)",
  rateCount: "coalesce(k.rate_count, r.override_rate_count, r.rate_count)",
  ratePerMs: "coalesce(k.rate_per_ms, r.override_rate_per_ms, r.rate_per_ms)",
  rateSpread: "coalesce(k.rate_spread, r.override_rate_spread, r.rate_spread)",
  pausedUntil: "greatest(k.paused_until, r.paused_until)",
  shutUntil: "greatest(k.paused_until, r.paused_until, k.open_until)",
} as const;
