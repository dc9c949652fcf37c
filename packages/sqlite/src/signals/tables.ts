/** The tables of signals, and those to which signals add columns. */
export interface SignalTables {
  readonly job: string;
  readonly openJob: string;
  readonly signal: string;
  readonly topic: string;
  readonly topicSignal: string;
}

/**
 * The tables of signals. A job that waits has a row in the hot table with `waits`: with state 1 if its wait has an end, so that it is
 * promoted like a scheduled job; otherwise with state 5, which no index of claims has. See `triggers.ts` for what ends a wait.
 */
export function signalTables(t: SignalTables): readonly string[] {
  return [
    // What the job waited for, as JSON, and the signals that it has taken; null: it has never waited.
    `alter table ${t.job} add column waits text`,
    `alter table ${t.job} add column received text`,
    // 1 while it waits, otherwise null.
    `alter table ${t.openJob} add column waits integer`,
    `create index ${t.openJob}_waits on ${t.openJob} (type_name, state, due_at) where waits is not null`,
    `create table ${t.signal} (
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
) strict, without rowid`,
    `create unique index ${t.signal}_once on ${t.signal} (chain, signal_id) where signal_id is not null`,
    `create index ${t.signal}_open on ${t.signal} (chain, type_name, position) where taken_by is null`,
    // The jobs that wait for a topic.
    `create table ${t.topic} (
  topic text not null,
  job integer not null,
  primary key (topic, job)
) strict, without rowid`,
    `create index ${t.topic}_job on ${t.topic} (job)`,
    // What was published and still reaches jobs that begin to wait.
    `create table ${t.topicSignal} (
  position integer primary key,
  topic text not null,
  type_name text not null,
  name text not null,
  payload text not null,
  signal_id text not null,
  context text,
  at integer not null,
  until integer not null
) strict`,
    `create index ${t.topicSignal}_topic on ${t.topicSignal} (topic, type_name)`,
    `create index ${t.topicSignal}_until on ${t.topicSignal} (until)`,
  ];
}
