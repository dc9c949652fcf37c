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
  /** What few chains have, see `extras.ts`. */
  readonly extras: number | null;
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
  /** What it waits for, or has waited for; null: it was written without a wait. Undefined: it was not read. */
  readonly waits?: string | null;
  /** The signals that it has taken. Undefined: it was not read. */
  readonly received?: string | null;
  /** Null: it does not wait. */
  readonly is_waiting?: number | null;
  /** Of a first job: null if its chain has no other one. Undefined: it was not read. */
  readonly has_more?: number | null;
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

/** The columns of a chain in the row `c` of its first job. */
export const chainColumnsOf = (
  c: string,
) => `${c}.seq, ${c}.id, ${c}.type_name, ${c}.chain_status, ${c}.referenced, ${c}.awaited, ${c}.key,
       ${c}.key_scope, ${c}.key_until, ${c}.extras`;

const ofJob = (job: string) => `${chainColumnsOf(job)}, ${job}.step, ${job}.status, ${job}.priority`;

export const chainColumns = "seq, id, type_name, chain_status, referenced, awaited, key, key_scope, key_until, extras";

/** Jobs `j` as {@link JobRow}, with their rows `o` in the hot table. */
export function selectJobRows(t: Tables, more = ""): string {
  return `select ${ofJob("j")}, coalesce(j.chain, j.seq) as chain, coalesce(o.attempt, j.attempt) as attempt,
       coalesce(o.fence, j.fence) as fence, o.leased_by, o.started_at, j.version, j.pool, j.waits,
       j.received, o.waits as is_waiting${more}
     from ${t.job} j left join ${t.openJob} o on o.job = j.seq`;
}

/** The last job of a chain, by its number, which is given twice. */
export function selectLastJob(t: Tables): string {
  return `${selectJobRows(t)}
     where j.seq = coalesce((select seq from ${t.job} where chain = ? order by chain, step desc limit 1), ?)`;
}

/** The first job of a chain, by its id. */
export function selectFirstJob(t: Tables): string {
  const hasMore = `, (select 1 from ${t.job} n where n.chain = j.seq limit 1) as has_more`;
  return `${selectJobRows(t, hasMore)} where j.id = ? and j.chain is null`;
}

/** The same for jobs that are open: only those with a row in the hot table. */
export function selectOpenJobRows(t: Tables): string {
  return `select ${ofJob("j")}, o.chain, o.attempt, o.fence, o.leased_by, o.started_at
     from ${t.job} j cross join ${t.openJob} o on o.job = j.seq`;
}

/** The columns of jobs `j` that are not open, and those of blocked jobs that the ends of their blockers need. */
export const dependentColumns = `${ofJob("j")}, coalesce(j.chain, j.seq) as chain, j.attempt, j.fence, null as leased_by,
       null as started_at, j.version, j.pool, j.waits, j.on_blocker_failure, j.blockers_left, j.due_at`;

/** A version as it is stored: 1, which most jobs have, as null. */
export function storedVersion(version: number | undefined): number | null {
  return version === undefined || version === 1 ? null : version;
}

/** SQL for `heldKey` of the key of a job. */
export const heldKeyOf = (job: string) =>
  `${job}.key || case when ${job}.key_scope in ('debounce', 'throttle') then ${job}.key_scope else '' end`;

export function keyOf({ key, key_scope: scope, key_until: until }: ChainRow): Key | undefined {
  return key === null || scope === null ? undefined : { key, scope, until: until ?? undefined };
}
