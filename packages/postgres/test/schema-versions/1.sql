create sequence "chainwright".position;

create table "chainwright".job (
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
) with (fillfactor = 40, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

create index job_oldest on "chainwright".job (position) where step = 1;

create index job_key on "chainwright".job (key, id) where key is not null;

create index job_chain on "chainwright".job (chain_id, step) where step > 1;

create table "chainwright".open_job (
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
  autovacuum_analyze_scale_factor = 0.2, autovacuum_analyze_threshold = 2000);

create index open_job_ready on "chainwright".open_job (rank, type_name, position) where state = 0;

create index open_job_ranked on "chainwright".open_job (type_name, rank, position) where state = 0 and rank <> -1;

create index open_job_due on "chainwright".open_job (due_at) where state = 1;

create index open_job_due_by_type on "chainwright".open_job (type_name, due_at) where state = 1;

create table "chainwright".blocker (
  job_id uuid not null,
  position integer not null,
  chain_id uuid not null,
  -- Whether the chain had not completed when the job's blockers_left was last counted.
  counted boolean not null,
  constraint blocker_pkey primary key (job_id, position)
);

create index blocker_chain on "chainwright".blocker (chain_id, job_id, position);

create table "chainwright".release (
  position bigint not null,
  chain_id uuid not null,
  from_id uuid not null,
  until_id uuid not null,
  constraint release_pkey primary key (position)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

create index release_chain on "chainwright".release (chain_id);

create table "chainwright".stopped (
  job_id uuid not null,
  chain_id uuid not null,
  constraint stopped_pkey primary key (job_id),
  constraint stopped_chain unique (chain_id)
);

create table "chainwright".deduplication (
  key text collate "C" not null,
  chain_id uuid not null,
  scope smallint not null,
  until double precision,
  constraint deduplication_pkey primary key (key)
);

create index deduplication_until on "chainwright".deduplication (until) where until is not null;

create table "chainwright".tag (
  name text collate "C" not null,
  value text collate "C" not null,
  chain_id uuid not null,
  constraint tag_pkey primary key (name, value, chain_id)
);

create table "chainwright".worker (
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
);

create table "chainwright".expiry (
  chain_id uuid not null,
  kind smallint not null,
  since double precision not null,
  constraint expiry_pkey primary key (chain_id, kind)
);

create index expiry_since on "chainwright".expiry (kind, since);

create table "chainwright".tally (
  type_name text collate "C" not null,
  status smallint not null,
  count bigint not null,
  constraint tally_pkey primary key (type_name, status)
) with (fillfactor = 50);

create table "chainwright".tally_change (
  n bigint not null,
  type_name text collate "C" not null,
  status smallint not null,
  count bigint not null,
  constraint tally_change_pkey primary key (n)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

create table "chainwright".upkeep (
  chore text collate "C" not null,
  floor double precision not null,
  reached double precision not null,
  settled bigint not null default 0,
  began_at double precision not null default 0,
  constraint upkeep_pkey primary key (chore)
) with (fillfactor = 50);

insert into "chainwright".upkeep (chore, floor, reached) values
  ('chains', 0, 0), ('tally', 0, 0), ('windows', '-Infinity', '-Infinity'),
  ('expiry 0', '-Infinity', '-Infinity'), ('expiry 1', '-Infinity', '-Infinity'), ('expiry 2', '-Infinity', '-Infinity');

create table "chainwright".meta (
  only_row boolean not null default true,
  version integer not null,
  compatible_from integer not null default 1,
  store_id uuid not null default gen_random_uuid(),
  settled_position bigint not null default 0,
  noted_position bigint not null default 0,
  noted_xid xid8 not null default '0',
  constraint meta_pkey primary key (only_row),
  constraint meta_one_row check (only_row)
);
