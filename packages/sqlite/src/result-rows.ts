import type { ChainStatus, JobStatus, OnBlockerFailure, Tags } from "chainwright";
import {
  type BreakerState,
  gathersBy,
  type ChainRecord,
  type Compensation,
  type FollowUp,
  type JobRecord,
  type KeyScope,
  type LimitKey,
  type LimitRule,
  type ReceivedSignal,
  type WaitRecord,
} from "chainwright/adapter";
import type { SqliteRunResult, SqliteStatement, SqliteValue } from "./driver.ts";

/** A prepared statement whose rows have the type that follows from its SQL. */
export interface Statement<Row> {
  run(...parameters: SqliteValue[]): SqliteRunResult;
  get(...parameters: SqliteValue[]): Row | undefined;
  all(...parameters: SqliteValue[]): readonly Row[];
}

/** Prepares at the first use and keeps the statement; the SQL beside each call justifies the row type. */
export function statementOf<Row>(prepare: () => SqliteStatement): Statement<Row> {
  let prepared: SqliteStatement | undefined;
  return {
    run: (...parameters) => (prepared ??= prepare()).run(...parameters),
    get: (...parameters) => (prepared ??= prepare()).get(...parameters) as Row | undefined,
    all: (...parameters) => (prepared ??= prepare()).all(...parameters) as Row[],
  };
}

/** A text that was written as JSON. */
export function textOf(json: string): string {
  return JSON.parse(json) as string;
}

/** The content of a cursor that was written as JSON. */
export function valuesOf(cursor: string | undefined): readonly SqliteValue[] {
  return cursor === undefined ? [] : (JSON.parse(cursor) as SqliteValue[]);
}

/** The payloads of a row. `_bytes`: of one that was left out; missing where a read leaves out none. */
interface PayloadRow {
  /** Null: left out. */
  readonly input: string | null;
  readonly input_bytes?: number | null;
  readonly output: string | null;
  readonly output_bytes?: number | null;
}

function payloadsOf({ input, output, input_bytes: inputBytes, output_bytes: outputBytes }: PayloadRow) {
  const isWhole = (inputBytes ?? outputBytes ?? undefined) === undefined;
  return {
    input: input ?? "",
    output: output ?? ((outputBytes ?? undefined) === undefined ? undefined : ""),
    omitted: isWhole ? undefined : { input: inputBytes ?? undefined, output: outputBytes ?? undefined },
  };
}

export interface ChainRow extends PayloadRow {
  readonly seq: number;
  readonly id: string;
  readonly type_name: string;
  readonly chain_status: ChainStatus;
  readonly output_type_name: string | null;
  readonly version: number | null;
  readonly output_version: number | null;
  readonly errors: string | null;
  readonly reason: string | null;
  readonly key: string | null;
  readonly tags: string | null;
  readonly created_at: number;
  readonly chain_ended_at: number | null;
  readonly extras: number | null;
}

export function chainRecord(row: ChainRow): ChainRecord {
  return {
    id: row.id,
    typeName: row.type_name,
    status: row.chain_status,
    outputTypeName: row.chain_status === "completed" ? (row.output_type_name ?? undefined) : undefined,
    ...payloadsOf(row),
    version: row.version ?? 1,
    outputVersion: row.output_version ?? 1,
    errors: row.chain_status === "failed" ? (row.errors ?? undefined) : undefined,
    reason: row.reason ?? undefined,
    key: row.key ?? undefined,
    tags: tagsOf(row.tags),
    createdAt: row.created_at,
    endedAt: row.chain_ended_at ?? undefined,
  };
}

/** A job with its columns of the hot table, which are null if it has no row there. */
export interface JobRow extends PayloadRow {
  readonly id: string;
  readonly chain_id: string;
  readonly type_name: string;
  readonly step: number;
  /** The status as the port defines it: SQL has replaced `open` by the statuses of open jobs. */
  readonly status: JobStatus;
  readonly priority: number;
  readonly version: number | null;
  readonly output_version: number | null;
  readonly errors: string | null;
  readonly attempt: number;
  readonly created_at: number;
  readonly due_at: number | null;
  readonly leased_by: string | null;
  readonly started_at: number | null;
  readonly leased_until: number | null;
  readonly ended_at: number | null;
  readonly next_id: string | null;
  readonly on_blocker_failure: OnBlockerFailure;
  readonly blockers: number;
  readonly blockers_left: number;
  readonly pool: string | null;
  /** Null if a worker has claimed it once. */
  readonly gathers_by: KeyScope | null;
  readonly key_until: number | null;
  readonly limits: string | null;
  readonly waits: string | null;
  readonly received: string | null;
}

export function jobRecord(row: JobRow): JobRecord {
  const running = row.status === "running";
  const hasAttempt = running || row.ended_at !== null;
  return {
    id: row.id,
    chainId: row.chain_id,
    typeName: row.type_name,
    version: row.version ?? 1,
    pool: row.pool ?? undefined,
    step: row.step,
    status: row.status,
    priority: row.priority,
    ...payloadsOf(row),
    outputVersion: row.output_version ?? 1,
    errors: row.errors ?? undefined,
    attempt: row.attempt,
    createdAt: row.created_at,
    scheduledAt: row.status === "scheduled" ? (row.due_at ?? undefined) : undefined,
    leasedBy: hasAttempt ? (row.leased_by ?? undefined) : undefined,
    startedAt: hasAttempt ? (row.started_at ?? undefined) : undefined,
    leasedUntil: running ? (row.leased_until ?? undefined) : undefined,
    lapsed: row.status === "ready" ? lapsedOf(row) : undefined,
    endedAt: row.ended_at ?? undefined,
    nextJobId: row.next_id ?? undefined,
    onBlockerFailure: row.on_blocker_failure,
    blockersLeft: row.blockers_left,
    gathers: gathersBy(row.gathers_by ?? undefined, row.key_until ?? undefined),
    hasBlockers: row.ended_at === null && row.blockers > 0,
    limits: row.ended_at === null ? limitKeys(row.limits) : undefined,
    waits: row.status === "waiting" && row.waits !== null ? waitOf(row.waits) : undefined,
    received: row.waits === null ? undefined : receivedOf(row.received),
  };
}

function lapsedOf({ leased_by, started_at, leased_until }: JobRow): JobRecord["lapsed"] {
  if (leased_by === null || started_at === null || leased_until === null) return undefined;
  return { leasedBy: leased_by, startedAt: started_at, leasedUntil: leased_until };
}

/** What a job waits for, or has waited for, as stored in one column. */
export function waitOf(json: string): WaitRecord {
  const { until, collect, topics } = JSON.parse(json) as Partial<WaitRecord>;
  return { until, collect, topics };
}

/** The signals that a job has taken, as stored in one column. */
export function receivedOf(json: string | null): readonly ReceivedSignal[] {
  if (json === null) return [];
  const stored = JSON.parse(json) as ReceivedSignal[];
  // JSON leaves out what is undefined.
  return stored.map(({ signal, payload, at, signalId, context }) => ({ signal, payload, at, signalId, context }));
}

/** What undoes a step, as stored in one column. */
export function compensationOf(json: string): Compensation {
  return JSON.parse(json) as Compensation;
}

/** What follows a chain that stops, as stored in one column. */
export function followUpOf(json: string | null): FollowUp | undefined {
  return json === null ? undefined : (JSON.parse(json) as FollowUp);
}

/** Tags as stored in one column. */
export function tagsOf(json: string | null): Tags | undefined {
  return json === null ? undefined : (JSON.parse(json) as Tags);
}

/** A limit of a job as stored; 1: the job keeps its places while it waits for a retry. */
export type StoredLimit = readonly [limit: string, key: string, holds?: 1];

export function storedLimitsOf(json: string): readonly StoredLimit[] {
  return JSON.parse(json) as StoredLimit[];
}

/** The limits that a job is under. */
export function limitKeys(json: string | null): readonly LimitKey[] | undefined {
  return json === null ? undefined : storedLimitsOf(json).map(([limit, key]) => ({ limit, key }));
}

/** What failures of a key have left, as stored in one column. */
export function breakerOf(json: string | null): BreakerState | undefined {
  return json === null ? undefined : (JSON.parse(json) as BreakerState);
}

/** A rule as stored in one column. */
export function ruleOfText(json: string | null): LimitRule | undefined {
  if (json === null) return undefined;
  const [concurrency, rate] = JSON.parse(json) as [number | null, [number, number, boolean] | null];
  return {
    concurrency: concurrency ?? undefined,
    rate: rate === null ? undefined : { count: rate[0], perMs: rate[1], spread: rate[2] },
  };
}

/** Counts as stored in one column. */
export function countsOf(json: string): readonly number[] {
  return JSON.parse(json) as number[];
}

/** Names as stored in one column. */
export function namesOf(json: string): readonly string[] {
  return JSON.parse(json) as string[];
}

/** The value of a pragma: the row's only column, or the one named. */
export function settingOf(row: unknown, column?: string): unknown {
  const columns = row as Readonly<Record<string, unknown>> | undefined;
  if (columns === undefined) return undefined;
  return column === undefined ? Object.values(columns)[0] : columns[column];
}
