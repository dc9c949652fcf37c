create table chainwright_job (
  seq integer primary key,
  id text not null unique,
  chain integer, -- null on the first job of a chain
  step integer not null,
  type_name text not null,
  status text not null, -- open, blocked, completed, failed, cancelled
  priority integer not null,
  attempt integer not null, -- as counted at its end; of an open job see chainwright_open_job
  fence integer not null default 0, -- how often it was claimed, likewise; never set back
  created_at integer not null,
  ended_at integer,
  started_at integer,
  leased_by text,
  next integer, -- the job that continued it
  blockers integer not null,
  blockers_left integer not null,
  on_blocker_failure text not null,
  failed_by integer, -- the chain whose end failed this job
  due_at integer, -- of a blocked job
  chain_status text, -- from here to key_until: of the chain, on its first job
  chain_ended_at integer,
  ended_job integer, -- the job that ended the chain
  referenced integer, -- 1: some job has been blocked by it
  awaited integer, -- 1: a process waits for its end, see noteAwaited
  reason text,
  key text,
  key_scope text,
  key_until integer,
  tags text, -- of the chain, as JSON; see chainwright_tag
  context text,
  input text not null,
  output text,
  errors text
) strict;

create index chainwright_job_chain on chainwright_job (chain, step) where chain is not null;

create index chainwright_job_blocked on chainwright_job (type_name) where status = 'blocked';

create index chainwright_job_stopped on chainwright_job (id) where status in ('failed', 'cancelled');

create index chainwright_job_chain_stopped on chainwright_job (id) where chain_status in ('failed', 'cancelled');

create index chainwright_job_key on chainwright_job (key, id) where key is not null;

create table chainwright_open_job (
  job integer primary key,
  chain integer not null,
  type_name text not null,
  priority integer not null,
  state integer not null, -- 0: ready or running; 1: scheduled, not due before due_at
  due_at integer not null,
  attempt integer not null,
  fence integer not null default 0,
  leased_by text,
  leased_until integer,
  started_at integer
) strict;

create index chainwright_open_job_claim on chainwright_open_job (type_name, priority desc) where state = 0;

create index chainwright_open_job_due on chainwright_open_job (due_at) where state = 1;

create index chainwright_open_job_due_type on chainwright_open_job (type_name, due_at) where state = 1;

create table chainwright_blocker (
  job integer not null,
  position integer not null,
  chain integer not null,
  counted integer not null, -- 0: the chain had completed when the job's blockers_left was last counted
  primary key (job, position)
) strict, without rowid;

create index chainwright_blocker_chain on chainwright_blocker (chain);

create table chainwright_release (
  position integer primary key,
  chain integer not null unique,
  from_job integer not null
) strict;

create table chainwright_deduplication (
  key text not null primary key,
  chain integer not null,
  until integer
) strict, without rowid;

create index chainwright_deduplication_until on chainwright_deduplication (until) where until is not null;

create table chainwright_tag (
  name text not null,
  value text not null,
  chain_id text not null,
  primary key (name, value, chain_id)
) strict, without rowid;

create table chainwright_worker (
  id text not null primary key,
  name text not null,
  type_names text not null,
  concurrency integer not null,
  schema_version integer not null,
  holds integer not null,
  started_at integer not null,
  last_seen_at integer not null,
  alive_until integer not null
) strict, without rowid;

create table chainwright_expiry (
  chain integer primary key,
  failed integer not null,
  since integer not null
) strict;

create index chainwright_expiry_since on chainwright_expiry (failed, since);

create table chainwright_tally (
  type_name text not null,
  status text not null,
  count integer not null,
  primary key (type_name, status)
) strict, without rowid;
