/**
 * Recurring schedules and their ticks. Moments are milliseconds since 1970.
 *
 * - reason, of a tick without a chain: 0 the chain of the tick before was active, 1 it was late and left out
 */
export function createSchedules(s: string): readonly string[] {
  return [
    // Each tick is a dead row and a dead entry of the indexes that have the schedule.
    `create table ${s}.schedule (
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
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`,
    // Paused schedules are not in it, so that they cost nothing.
    `create index schedule_next on ${s}.schedule (next_at, id) where paused_at is null and next_at is not null`,
    `create index schedule_owner on ${s}.schedule (owner, id) where owner is not null`,
    // The primary key is what starts an instant of a schedule at most once. A chain that is deleted leaves its tick here.
    `create table ${s}.tick (
  schedule_id text collate "C" not null,
  at double precision not null,
  made_at double precision not null,
  chain_id uuid,
  reason smallint,
  constraint tick_pkey primary key (schedule_id, at)
)`,
    `create index tick_chain on ${s}.tick (chain_id) where chain_id is not null`,
    `create index tick_made on ${s}.tick (made_at)`,
    `insert into ${s}.upkeep (chore, floor, reached) values ('ticks', '-Infinity', '-Infinity')`,
  ];
}
