/** The tables of schedules. */
export interface ScheduleTables {
  readonly schedule: string;
  readonly tick: string;
}

/** Recurring schedules and their ticks. */
export function scheduleTables(t: ScheduleTables): readonly string[] {
  return [
    `create table ${t.schedule} (
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
) strict`,
    // Paused schedules are not in it, so that they cost nothing.
    `create index ${t.schedule}_next on ${t.schedule} (next_at, id) where paused_at is null and next_at is not null`,
    `create index ${t.schedule}_owner on ${t.schedule} (owner, id) where owner is not null`,
    // The primary key is what starts an instant of a schedule at most once. A chain that is deleted leaves its tick here.
    `create table ${t.tick} (
  schedule_id text not null,
  at integer not null,
  made_at integer not null,
  chain_id text,
  reason text,
  primary key (schedule_id, at)
) strict, without rowid`,
    `create index ${t.tick}_chain on ${t.tick} (chain_id) where chain_id is not null`,
    `create index ${t.tick}_made on ${t.tick} (made_at)`,
  ];
}
