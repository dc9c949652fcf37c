alter table "chainwright".job
  add column version smallint,
  add column output_version smallint,
  add column pool text collate "C";

alter table "chainwright".worker
  add column package_version text,
  add column code_version bigint,
  add column versions text,
  add column pools text,
  -- What it held when another worker noticed its silence, as JSON.
  add column held text;

create table "chainwright".pause (
  type_name text collate "C" not null,
  until double precision,
  reason text,
  "by" text,
  at double precision not null,
  constraint pause_pkey primary key (type_name)
);

create table "chainwright".schedule (
  id text collate "C" not null,
  last_chain_id uuid,
  missed_count bigint not null default 0,
  skipped_count bigint not null default 0,
  next_at double precision,
  paused_at double precision,
  last_at double precision,
  forgotten_from double precision,
  forgotten_until double precision,
  created_at double precision not null,
  updated_at double precision not null,
  revision integer not null,
  type_name text collate "C" not null,
  owner text collate "C",
  paused_reason text,
  tz_version text,
  declared text not null,
  override text,
  constraint schedule_pkey primary key (id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

create index schedule_next on "chainwright".schedule (next_at, id) where paused_at is null and next_at is not null;

create index schedule_owner on "chainwright".schedule (owner, id) where owner is not null;

create table "chainwright".tick (
  schedule_id text collate "C" not null,
  at double precision not null,
  made_at double precision not null,
  chain_id uuid,
  reason smallint,
  constraint tick_pkey primary key (schedule_id, at)
);

create index tick_chain on "chainwright".tick (chain_id) where chain_id is not null;

create index tick_made on "chainwright".tick (made_at);

insert into "chainwright".upkeep (chore, floor, reached) values ('ticks', '-Infinity', '-Infinity');

alter table "chainwright".job add column limits text;

alter table "chainwright".open_job
  add column lane uuid,
  add column lane_weight smallint,
  add column lane_holds boolean;

create table "chainwright".parked (
  lane uuid not null,
  job_id uuid not null,
  position bigint not null,
  rank smallint not null,
  type_name text collate "C" not null,
  constraint parked_pkey primary key (lane, type_name, rank, position)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

create table "chainwright".kept (
  job_id uuid not null,
  look_at double precision not null,
  type_name text collate "C" not null,
  constraint kept_pkey primary key (job_id)
);

create index kept_look on "chainwright".kept (type_name, look_at);

create sequence "chainwright".turn;

create table "chainwright".lane (
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
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

create index lane_open on "chainwright".lane (type_name collate "POSIX", rank, turn) where state = 1;

create index lane_closed on "chainwright".lane (blocked_by, state, type_name, rank, turn) where state > 1;

create index lane_look on "chainwright".lane (type_name collate "POSIX", look_at) where look_at is not null;

create index lane_idle on "chainwright".lane (idle_at) where state = 0;

create table "chainwright".gate_event (
  id bigint generated always as identity,
  gate text collate "C" not null,
  lanes integer not null,
  constraint gate_event_pkey primary key (id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

create table "chainwright".place (
  gate text collate "C" not null,
  n integer not null,
  job_id uuid,
  constraint place_pkey primary key (gate, n)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

create index place_free on "chainwright".place (gate, n) where job_id is null;

create index place_job on "chainwright".place (job_id) where job_id is not null;

create table "chainwright".token (
  gate text collate "C" not null,
  n integer not null,
  free_at double precision not null,
  constraint token_pkey primary key (gate, n)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

create index token_free on "chainwright".token (gate, free_at);

create table "chainwright".limit_rule (
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
);

create table "chainwright".gate_rule (
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
);

alter table "chainwright".job
  add column waits text,
  add column received text,
  add column signals boolean;

alter table "chainwright".open_job add column waits boolean;

create table "chainwright".signal (
  chain_id uuid not null,
  taken_by uuid,
  position bigint not null,
  at double precision not null,
  type_name text collate "C" not null,
  name text not null,
  signal_id text collate "C",
  payload text not null,
  context text,
  constraint signal_pkey primary key (chain_id, position)
);

create unique index signal_once on "chainwright".signal (chain_id, signal_id) where signal_id is not null;

create index signal_open on "chainwright".signal (chain_id, type_name, position) where taken_by is null;

create table "chainwright".topic (
  topic text collate "C" not null,
  job_id uuid not null,
  constraint topic_pkey primary key (topic, job_id)
) with (autovacuum_vacuum_scale_factor = 0.05);

create index topic_job on "chainwright".topic (job_id);

create table "chainwright".publication (
  position bigint generated always as identity,
  at double precision not null,
  until double precision not null,
  topic text collate "C" not null,
  type_name text collate "C" not null,
  name text not null,
  signal_id text not null,
  payload text not null,
  context text,
  constraint publication_pkey primary key (topic, position)
);

create index publication_until on "chainwright".publication (until);

insert into "chainwright".upkeep (chore, floor, reached) values ('publications', '-Infinity', '-Infinity');

alter table "chainwright".job
  add column on_end boolean,
  add column follows uuid;

alter table "chainwright".open_job add column on_end boolean;

alter table "chainwright".blocker
  add column own boolean,
  add column passes boolean;

create table "chainwright".compensation (
  chain_id uuid not null,
  position bigint not null,
  follower uuid,
  step integer not null,
  body text not null,
  constraint compensation_pkey primary key (chain_id, step, position)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

create table "chainwright".deadline (
  chain_id uuid not null,
  at double precision not null,
  constraint deadline_pkey primary key (chain_id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

create index deadline_at on "chainwright".deadline (at);

alter table "chainwright".open_job add column noted boolean;

create table "chainwright".memo (
  job_id uuid not null,
  at double precision not null,
  attempt integer not null,
  name text collate "C" not null,
  value text not null,
  constraint memo_pkey primary key (job_id, name)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

create table "chainwright".progress (
  job_id uuid not null,
  at double precision,
  attempt integer,
  lines integer not null,
  value text,
  constraint progress_pkey primary key (job_id)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

create table "chainwright".log_line (
  job_id uuid not null,
  seq bigint not null,
  at double precision not null,
  attempt integer not null,
  level text not null,
  message text not null,
  data text,
  constraint log_line_pkey primary key (job_id, seq)
) with (autovacuum_vacuum_scale_factor = 0.05);

create table "chainwright".spent_note (
  job_id uuid not null,
  constraint spent_note_pkey primary key (job_id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

create table "chainwright".history (
  at double precision not null,
  completed bigint not null,
  failed bigint not null,
  retried bigint not null,
  longest_wait_ms double precision not null,
  every_ms integer not null,
  type_name text collate "C" not null,
  run_times bigint[] not null,
  constraint history_pkey primary key (every_ms, at, type_name)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

create table "chainwright".failure (
  chain_id uuid not null,
  job_id uuid not null,
  failed_at double precision not null,
  type_name text collate "C" not null,
  kind text collate "C" not null,
  constraint failure_pkey primary key (chain_id)
);

create index failure_at on "chainwright".failure (failed_at, type_name, kind);
