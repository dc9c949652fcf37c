/** The table of failures. */
export interface FailureTable {
  readonly failure: string;
}

/**
 * The jobs that have failed, so that failures are counted without reading jobs. `kind`: see `storedFailureKind`. A process of the release
 * before, with schema version 1, does not write it, so rows of jobs that it retried or deleted stay until the doctor deletes them.
 */
export function failureTable(t: FailureTable): readonly string[] {
  return [
    `create table ${t.failure} (
  job integer primary key,
  id text not null,
  failed_at integer not null,
  type_name text not null,
  kind text not null
) strict`,
    `create index ${t.failure}_at on ${t.failure} (failed_at, type_name, kind)`,
    // A page of one kind: after an outage nearly all failures are of the same.
    `create index ${t.failure}_kind on ${t.failure} (kind, id)`,
  ];
}
