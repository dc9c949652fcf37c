/*
 * What running attempts note about their jobs. A job that notes nothing has no row in these tables, and null in `open_job.noted`.
 *
 * A call that writes about a job holds its row in `open_job` `for key share`: a claim locks that row `for update`, so what it finds was
 * committed before it, and nothing of an earlier attempt comes after it.
 */

/** The name under which the table of memos has the checkpoint. */
export const checkpointName = "''";

/** The tables that have rows of jobs that have noted something. */
export function noteTablesOf(s: string): readonly string[] {
  return [`${s}.memo`, `${s}.progress`, `${s}.log_line`];
}

/** The tables and columns, in the schema of this quoted name. */
export function noteTables(s: string): readonly string[] {
  return [
    // Whether there are memos or a checkpoint, which claims read.
    `alter table ${s}.open_job add column noted boolean`,
    `create table ${s}.memo (
  job_id uuid not null,
  at double precision not null,
  attempt integer not null,
  name text collate "C" not null,
  value text not null,
  constraint memo_pkey primary key (job_id, name)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05)`,
    // The row of every job with progress or lines; of only lines without a value.
    `create table ${s}.progress (
  job_id uuid not null,
  at double precision,
  attempt integer,
  lines integer not null,
  value text,
  constraint progress_pkey primary key (job_id)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05)`,
    // The message is JSON, because Postgres stores no NUL and no half of a surrogate pair.
    `create table ${s}.log_line (
  job_id uuid not null,
  seq bigint not null,
  at double precision not null,
  attempt integer not null,
  level text not null,
  message text not null,
  data text,
  constraint log_line_pkey primary key (job_id, seq)
) with (autovacuum_vacuum_scale_factor = 0.05)`,
    // Jobs with memos that have ended, for upkeep.
    `create table ${s}.spent_note (
  job_id uuid not null,
  constraint spent_note_pkey primary key (job_id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`,
  ];
}
