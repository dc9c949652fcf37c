import type { ChainStatus, OnBlockerFailure } from "chainwright";
import type { End, Key, Place, Rows } from "chainwright/adapter";
import type { EndedStatus } from "../tally.ts";
import type { Tables } from "../schema.ts";

/** The columns of a chain in the row of its first job. */
export interface ChainRow {
  readonly seq: number;
  readonly id: string;
  readonly type_name: string;
  /** Null if the job is not the first one of its chain. */
  readonly chain_status: ChainStatus | null;
  readonly referenced: number | null;
  readonly awaited: number | null;
  readonly key: string | null;
  readonly key_scope: Key["scope"] | null;
  readonly key_until: number | null;
}

/** A job. The row of a chain's first job is also its {@link ChainRow}. */
export interface JobRow extends ChainRow {
  /** The `seq` of the chain's first job. */
  readonly chain: number;
  readonly step: number;
  readonly status: EndedStatus | "open" | "blocked";
  readonly priority: number;
  readonly attempt: number;
  readonly fence: number;
  readonly leased_by: string | null;
  readonly started_at: number | null;
  /** Null: 1. Undefined: it was not read. */
  readonly version?: number | null;
  readonly pool?: string | null;
}

/** A blocked job. */
export interface DependentRow extends JobRow {
  readonly on_blocker_failure: OnBlockerFailure;
  readonly blockers_left: number;
  readonly due_at: number | null;
}

export type SqliteRows = Rows<JobRow, ChainRow>;
export type SqlitePlace = Place<JobRow, ChainRow>;
export type SqliteEnd = End<ChainRow>;

const ofJob = (job: string) => `${job}.seq, ${job}.id, ${job}.type_name, ${job}.step, ${job}.status, ${job}.priority,
       ${job}.chain_status, ${job}.referenced, ${job}.awaited, ${job}.key, ${job}.key_scope, ${job}.key_until`;

export const chainColumns = "seq, id, type_name, chain_status, referenced, awaited, key, key_scope, key_until";

/** Jobs `j` as {@link JobRow}, with their rows `r` in the hot table. */
export function selectJobRows(t: Tables): string {
  return `select ${ofJob("j")}, coalesce(j.chain, j.seq) as chain, coalesce(o.attempt, j.attempt) as attempt,
       coalesce(o.fence, j.fence) as fence, o.leased_by, o.started_at, j.version, j.pool
     from ${t.job} j left join ${t.openJob} o on o.job = j.seq`;
}

/** The same for jobs that are open: only those with a row in the hot table. */
export function selectOpenJobRows(t: Tables): string {
  return `select ${ofJob("j")}, o.chain, o.attempt, o.fence, o.leased_by, o.started_at
     from ${t.job} j cross join ${t.openJob} o on o.job = j.seq`;
}

/** The columns of jobs `j` that are not open, and those of blocked jobs that the ends of their blockers need. */
export const dependentColumns = `${ofJob("j")}, coalesce(j.chain, j.seq) as chain, j.attempt, j.fence, null as leased_by,
       null as started_at, j.version, j.pool, j.on_blocker_failure, j.blockers_left, j.due_at`;

/** A version as it is stored: 1, which most jobs have, as null. */
export function storedVersion(version: number | undefined): number | null {
  return version === undefined || version === 1 ? null : version;
}

export function keyOf({ key, key_scope: scope, key_until: until }: ChainRow): Key | undefined {
  return key === null || scope === null ? undefined : { key, scope, until: until ?? undefined };
}
