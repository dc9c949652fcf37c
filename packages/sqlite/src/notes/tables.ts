/** The tables of what attempts note, and the one to which they add a column. */
export interface NoteTables {
  readonly job: string;
  readonly memo: string;
  readonly progress: string;
  readonly logLine: string;
  readonly spentNote: string;
}

/** The tables that have rows of jobs that have noted something. */
export function noteTablesOf(t: NoteTables): readonly string[] {
  return [t.memo, t.progress, t.logLine];
}

/** The tables of notes. A job that notes nothing has no row in them. */
export function noteTables(t: NoteTables): readonly string[] {
  return [
    // Null: nothing was noted; 1: there are memos or a checkpoint, which claims read; 0: there is nothing that claims read.
    `alter table ${t.job} add column noted integer`,
    // The checkpoint has an empty name.
    `create table ${t.memo} (
  job integer not null,
  name text not null,
  value text not null,
  attempt integer not null,
  at integer not null,
  primary key (job, name)
) strict, without rowid`,
    `create table ${t.progress} (
  job integer primary key,
  value text, -- null: only lines were reported
  attempt integer,
  at integer,
  lines integer not null -- of the log
) strict`,
    `create table ${t.logLine} (
  job integer not null,
  seq integer not null,
  attempt integer not null,
  at integer not null,
  level text not null,
  message text not null, -- as JSON: it may be no valid Unicode
  data text,
  primary key (job, seq)
) strict, without rowid`,
    // Jobs that have completed, and whose memos and checkpoint are still there.
    `create table ${t.spentNote} (
  job integer primary key
) strict`,
  ];
}
