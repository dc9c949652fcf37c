alter table chainwright_job add column version integer;

alter table chainwright_job add column output_version integer;

alter table chainwright_job add column pool text;

alter table chainwright_worker add column package_version text;

alter table chainwright_worker add column code_version integer;

alter table chainwright_worker add column versions text;

alter table chainwright_worker add column pools text;

alter table chainwright_worker add column held text;

create table chainwright_pause (
  type_name text not null primary key,
  until integer,
  reason text,
  "by" text,
  at integer not null
) strict, without rowid;

create table chainwright_schedule (
  id text not null primary key,
  revision integer not null,
  next_at integer,
  paused_at integer,
  last_at integer,
  last_chain_id text, -- the chain may have been deleted since
  missed_count integer not null,
  skipped_count integer not null,
  forgotten_from integer,
  forgotten_until integer,
  created_at integer not null,
  updated_at integer not null,
  type_name text not null,
  owner text,
  paused_reason text,
  tz_version text,
  declared text not null,
  override text
) strict;

create index chainwright_schedule_next on chainwright_schedule (next_at, id) where paused_at is null and next_at is not null;

create index chainwright_schedule_owner on chainwright_schedule (owner, id) where owner is not null;

create table chainwright_tick (
  schedule_id text not null,
  at integer not null,
  made_at integer not null,
  chain_id text,
  reason text,
  primary key (schedule_id, at)
) strict, without rowid;

create index chainwright_tick_chain on chainwright_tick (chain_id) where chain_id is not null;

create index chainwright_tick_made on chainwright_tick (made_at);

alter table chainwright_job add column limits text;

alter table chainwright_job add column weight integer;

alter table chainwright_open_job add column lane integer;

alter table chainwright_open_job add column placed integer;

create index chainwright_open_job_lane on chainwright_open_job (lane, priority desc) where state = 3 and lane <> 0;

create index chainwright_open_job_inbox on chainwright_open_job (type_name, priority desc) where state = 3 and lane < 0;

create index chainwright_open_job_placed on chainwright_open_job (lane) where placed is not null;

create table chainwright_lane (
  id integer primary key,
  name text not null, -- the claim name
  limits text not null,
  state integer not null, -- 0: no job waits in it; 1: claims visit it; 2: closed by a gate
  rank integer not null, -- the priority of its first job
  turn integer not null, -- within its name and rank
  served integer not null, -- jobs that it has been given in this turn
  weight integer not null,
  blocked_by integer,
  unique (name, limits)
) strict;

create index chainwright_lane_open on chainwright_lane (name, rank desc, turn) where state = 1;

create index chainwright_lane_closed on chainwright_lane (blocked_by, name, rank desc, turn) where state = 2;

create table chainwright_gate (
  id integer primary key,
  name text not null,
  key text not null,
  taken integer not null default 0, -- places
  begun integer not null default 0, -- jobs, while the limit has a rate
  concurrency integer,
  rate_count integer,
  rate_per_ms integer,
  rate_spread integer,
  paused_until integer,
  breaker text, -- JSON, of a key whose jobs have failed
  unique (name, key)
) strict;

create index chainwright_gate_breaker on chainwright_gate (id) where breaker is not null;

create table chainwright_lane_gate (
  lane integer not null,
  gate integer not null,
  primary key (lane, gate)
) strict, without rowid;

create index chainwright_lane_gate_gate on chainwright_lane_gate (gate);

create table chainwright_closed_name (
  gate integer not null,
  name text not null,
  look_at integer,
  primary key (gate, name)
) strict, without rowid;

create index chainwright_closed_name_look on chainwright_closed_name (name, look_at) where look_at is not null;

create table chainwright_beginning (
  gate integer not null,
  n integer not null,
  at integer not null,
  primary key (gate, n)
) strict, without rowid;

create table chainwright_limit_rule (
  name text not null primary key,
  concurrency integer,
  rate_count integer,
  rate_per_ms integer,
  rate_spread integer,
  declared text,
  code_version integer,
  override text,
  paused_until integer
) strict, without rowid;

alter table chainwright_job add column extras integer;

alter table chainwright_job add column waits text;

alter table chainwright_job add column received text;

alter table chainwright_open_job add column waits integer;

create index chainwright_open_job_waits on chainwright_open_job (type_name, state, due_at) where waits is not null;

create table chainwright_signal (
  chain integer not null,
  position integer not null,
  type_name text not null,
  name text not null,
  payload text not null,
  signal_id text,
  context text,
  at integer not null,
  taken_by integer, -- a job
  primary key (chain, position)
) strict, without rowid;

create unique index chainwright_signal_once on chainwright_signal (chain, signal_id) where signal_id is not null;

create index chainwright_signal_open on chainwright_signal (chain, type_name, position) where taken_by is null;

create table chainwright_topic (
  topic text not null,
  job integer not null,
  primary key (topic, job)
) strict, without rowid;

create index chainwright_topic_job on chainwright_topic (job);

create table chainwright_topic_signal (
  position integer primary key,
  topic text not null,
  type_name text not null,
  name text not null,
  payload text not null,
  signal_id text not null,
  context text,
  at integer not null,
  until integer not null
) strict;

create index chainwright_topic_signal_topic on chainwright_topic_signal (topic, type_name);

create index chainwright_topic_signal_until on chainwright_topic_signal (until);

alter table chainwright_blocker add column own integer;

create table chainwright_ending (
  chain integer primary key,
  when_stopped text, -- as JSON
  held_job text, -- the attempt that was running when the chain stopped
  held_by text,
  held_fence integer,
  held_until integer,
  stopped integer, -- 1: the chain has ended, and nothing has followed yet; 0: a retry is under way that withdraws what follows
  last_job integer, -- the last attempt that lost its row in the hot table, for such an end
  last_by text,
  last_fence integer,
  last_until integer
) strict;

create index chainwright_ending_stopped on chainwright_ending (stopped) where stopped = 1;

create table chainwright_compensation (
  chain integer not null,
  step integer not null,
  own integer not null,
  position integer not null,
  compensation text not null,
  primary key (chain, step, own, position)
) strict, without rowid;

create table chainwright_follow_up (
  chain integer not null,
  position integer not null,
  chain_id text not null,
  kind text not null,
  primary key (chain, position)
) strict, without rowid;

create index chainwright_follow_up_chain on chainwright_follow_up (chain_id);

create table chainwright_deadline (
  chain integer primary key,
  at integer not null
) strict;

create index chainwright_deadline_at on chainwright_deadline (at);

alter table chainwright_job add column noted integer;

create table chainwright_memo (
  job integer not null,
  name text not null,
  value text not null,
  attempt integer not null,
  at integer not null,
  primary key (job, name)
) strict, without rowid;

create table chainwright_progress (
  job integer primary key,
  value text, -- null: only lines were reported
  attempt integer,
  at integer,
  lines integer not null -- of the log
) strict;

create table chainwright_log_line (
  job integer not null,
  seq integer not null,
  attempt integer not null,
  at integer not null,
  level text not null,
  message text not null, -- as JSON: it may be no valid Unicode
  data text,
  primary key (job, seq)
) strict, without rowid;

create table chainwright_spent_note (
  job integer primary key
) strict;

create table chainwright_history (
  every_ms integer not null,
  at integer not null,
  type_name text not null,
  completed integer not null,
  failed integer not null,
  retried integer not null,
  longest_wait_ms real not null,
  run_times text not null, -- a JSON array of counts
  primary key (every_ms, at, type_name)
) strict, without rowid;

create table chainwright_failure (
  job integer primary key,
  id text not null,
  failed_at integer not null,
  type_name text not null,
  kind text not null
) strict;

create index chainwright_failure_at on chainwright_failure (failed_at, type_name, kind);

create index chainwright_failure_kind on chainwright_failure (kind, id);
