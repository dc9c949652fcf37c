import { blockerFailureKind } from "chainwright/adapter";

/**
 * The jobs that have failed, in the schema of this quoted name, so that failures are counted without reading jobs. A chain has at most one.
 * `kind`: see `storedFailureKind`. Functions of the store write it, so it has the failures of processes of the release before too, but none
 * from before the migration.
 */
export function failureTable(s: string): readonly string[] {
  return [
    `create table ${s}.failure (
  chain_id uuid not null,
  job_id uuid not null,
  failed_at double precision not null,
  type_name text collate "C" not null,
  kind text collate "C" not null,
  constraint failure_pkey primary key (chain_id)
)`,
    `create index failure_at on ${s}.failure (failed_at, type_name, kind)`,
  ];
}

/** An expression for the kind of the failure of a row of `job`: the same as `storedFailureKind`. */
export const storedKindOf = (job: string): string =>
  `case when ${job}.failed_by is not null then '${blockerFailureKind}'
    else coalesce(substring(right(${job}.errors, 60) from '"kind":"([0-9A-Za-z_]{1,32})"[}][]]$'), '') end`;
