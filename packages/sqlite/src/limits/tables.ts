/** The tables of limits, and those to which limits add columns. */
export interface LimitTables {
  readonly job: string;
  readonly openJob: string;
  readonly lane: string;
  readonly gate: string;
  readonly laneGate: string;
  readonly closedName: string;
  readonly beginning: string;
  readonly limitRule: string;
}

/**
 * The tables of limits. SQLite has one writer, so a gate counts its places instead of having a row for each. The count is exact:
 * the claim that takes a place and the trigger that gives it back write it in the transaction that changes the job, see `triggers.ts`.
 */
export function limitTables(t: LimitTables): readonly string[] {
  return [...columnsOfJobs(t), ...laneTables(t), ...gateTables(t)];
}

function columnsOfJobs(t: LimitTables): readonly string[] {
  return [
    // The limits and keys of a job as JSON, see `stored-limits.ts`, and its share of turns; null: it is under none.
    `alter table ${t.job} add column limits text`,
    `alter table ${t.job} add column weight integer`,
    // Null: the job is under no limit. 0: it has no lane yet. Less than 0: it is ready, and no job waits in its lane, see `inbox.ts`.
    `alter table ${t.openJob} add column lane integer`,
    // 1: it holds a place of each of its limits. 2: it keeps them while it waits for a retry.
    `alter table ${t.openJob} add column placed integer`,
    `create index ${t.openJob}_lane on ${t.openJob} (lane, priority desc) where state = 3 and lane <> 0`,
    `create index ${t.openJob}_inbox on ${t.openJob} (type_name, priority desc) where state = 3 and lane < 0`,
    // Those that run and those that keep their places.
    `create index ${t.openJob}_placed on ${t.openJob} (lane) where placed is not null`,
  ];
}

function laneTables(t: LimitTables): readonly string[] {
  return [
    // The jobs of one claim name under the same keys.
    `create table ${t.lane} (
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
) strict`,
    `create index ${t.lane}_open on ${t.lane} (name, rank desc, turn) where state = 1`,
    `create index ${t.lane}_closed on ${t.lane} (blocked_by, name, rank desc, turn) where state = 2`,
  ];
}

function gateTables(t: LimitTables): readonly string[] {
  return [
    // A limit with one key. What is null counts as the limit says.
    `create table ${t.gate} (
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
) strict`,
    `create index ${t.gate}_breaker on ${t.gate} (id) where breaker is not null`,
    `create table ${t.laneGate} (
  lane integer not null,
  gate integer not null,
  primary key (lane, gate)
) strict, without rowid`,
    `create index ${t.laneGate}_gate on ${t.laneGate} (gate)`,
    // The claim names of lanes that a gate has closed. A place that becomes free opens a lane of each, and so does a claim after
    // `look_at`; null: nothing but a place opens the gate.
    `create table ${t.closedName} (
  gate integer not null,
  name text not null,
  look_at integer,
  primary key (gate, name)
) strict, without rowid`,
    `create index ${t.closedName}_look on ${t.closedName} (name, look_at) where look_at is not null`,
    // When the last jobs of a gate with a rate began, numbered by its `begun`: as many as its window may have.
    `create table ${t.beginning} (
  gate integer not null,
  n integer not null,
  at integer not null,
  primary key (gate, n)
) strict, without rowid`,
    // What counts for keys without numbers of their own, and the texts from which it follows.
    `create table ${t.limitRule} (
  name text not null primary key,
  concurrency integer,
  rate_count integer,
  rate_per_ms integer,
  rate_spread integer,
  declared text,
  code_version integer,
  override text,
  paused_until integer
) strict, without rowid`,
  ];
}
