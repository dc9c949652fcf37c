import type { ChainStatus, FaultKind, JobStatus, OnBlockerFailure, Tags } from "chainwright";
import type { ChainRecord, JobRecord, StoreFault } from "chainwright/adapter";
import type { PostgresRow } from "./driver.ts";
import type { Schema } from "./schema.ts";

/** The status of a job `j` with its row `o` in `open_job`, if it has one. */
export const jobStatus = (now: string) =>
  `case j.status when 1 then 'completed' when 2 then 'failed' when 3 then 'cancelled' else ${openStatus(now)} end`;

/** The status of a row `o` of `open_job`. */
const openStatus = (now: string) => `case when o.state = 2 then 'blocked' when o.leased_until > ${now} then 'running'
    when o.state = 1 and o.due_at > ${now} then 'scheduled' else 'ready' end`;

/** The moment of a call: the parameter if a test sets it, otherwise the server's clock. */
export const momentOf = (parameter: string) =>
  `coalesce(${parameter}::text::double precision, floor(date_part('epoch', clock_timestamp()) * 1000))`;

/**
 * Converts a moment or duration to a whole number before it leaves Postgres, because a double may be rounded on its way out,
 * depending on the setting `extra_float_digits`.
 */
export const wholeMs = (expression: string) => `(${expression})::bigint`;

/**
 * Selects jobs as `jobRecordOf` reads them, each with its row in `open_job` if it has one. No two columns have the same name,
 * because some clients return rows as objects.
 */
export const selectJobs = (
  { quoted: s }: Schema,
  now: string,
) => `select j.id, j.chain_id, j.type_name, j.step, ${jobStatus("moment.now")} as status,
  j.priority, j.input, j.output, j.errors, coalesce(o.attempt, j.attempt) as attempt, ${wholeMs("j.created_at")} as created_at, ${wholeMs("o.due_at")} as due_at,
  coalesce(o.leased_by, j.ended_by) as worker, ${wholeMs("coalesce(o.started_at, j.started_at)")} as started_at,
  ${wholeMs("o.leased_until")} as leased_until, ${wholeMs("j.ended_at")} as ended_at,
  j.next_job_id, j.on_blocker_failure, coalesce(o.blockers_left, 0) as blockers_left, coalesce(o.has_blockers, false)::integer as has_blockers,
  j.version, j.pool, j.output_version
from (select ${momentOf(now)} as now) moment
cross join ${s}.job j left join ${s}.open_job o on o.job_id = j.id`;

export function jobRecordOf(row: PostgresRow): JobRecord {
  const status = row[4] as JobStatus;
  const endedAt = numberOf(row[15]);
  const hasAttempt = status === "running" || endedAt !== undefined;
  return {
    id: String(row[0]),
    chainId: String(row[1]),
    typeName: String(row[2]),
    version: versionOf(row[20]),
    pool: textOf(row[21]),
    step: Number(row[3]),
    status,
    priority: Number(row[5]),
    input: String(row[6]),
    output: textOf(row[7]),
    outputVersion: versionOf(row[22]),
    errors: textOf(row[8]),
    attempt: Number(row[9]),
    createdAt: Number(row[10]),
    scheduledAt: status === "scheduled" ? numberOf(row[11]) : undefined,
    leasedBy: hasAttempt ? textOf(row[12]) : undefined,
    startedAt: hasAttempt ? numberOf(row[13]) : undefined,
    leasedUntil: status === "running" ? numberOf(row[14]) : undefined,
    endedAt,
    nextJobId: textOf(row[16]),
    onBlockerFailure: onBlockerFailureOf(row[17]),
    blockersLeft: Number(row[18]),
    hasBlockers: Number(row[19]) === 1,
  };
}

/** The columns of chains as `chainRecordOf` reads them, from their first jobs `f` and the jobs `e` with which they ended. */
export const chainColumns = `f.id, f.type_name, f.chain_status, f.input, e.output, e.errors, f.reason,
  ${wholeMs("f.created_at")} as created_at, ${wholeMs("e.ended_at")} as ended_at, f.key, f.tags,
  e.type_name as output_type_name, f.version, e.output_version`;

export const selectChains = ({ quoted: s }: Schema, from = `${s}.job f`) => `select ${chainColumns}
from ${from} left join ${s}.job e on e.id = f.ended_job_id`;

export function chainRecordOf(row: PostgresRow): ChainRecord {
  const status = chainStatusOf(row[2]);
  return {
    id: String(row[0]),
    typeName: String(row[1]),
    status,
    input: String(row[3]),
    version: versionOf(row[12]),
    outputVersion: versionOf(row[13]),
    output: status === "completed" ? textOf(row[4]) : undefined,
    outputTypeName: status === "completed" ? textOf(row[11]) : undefined,
    errors: status === "failed" ? textOf(row[5]) : undefined,
    reason: status === "cancelled" ? textOf(row[6]) : undefined,
    createdAt: Number(row[7]),
    endedAt: numberOf(row[8]),
    key: textOf(row[9]),
    tags: tagsOf(row[10]),
  };
}

function tagsOf(value: unknown): Tags | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : (JSON.parse(text) as Tags);
}

const chainStatuses: readonly ChainStatus[] = ["active", "completed", "failed", "cancelled"];

/** The status for a code in `job.chain_status`. */
export function chainStatusOf(code: unknown): ChainStatus {
  return chainStatuses[Number(code)] ?? "active";
}

/** The code of a status in `job.chain_status`. */
export function codeOf(status: ChainStatus): number {
  return chainStatuses.indexOf(status);
}

/** Ids as the text of an array parameter. */
export function idsOf(ids: readonly string[]): string {
  return `{${ids.join(",")}}`;
}

/** From a row of a check of the doctor: `kind, id, chain_id, type_name, worker_id`. */
export function faultOf([kind, id, chainId, typeName, workerId]: PostgresRow): StoreFault {
  return {
    kind: kind as FaultKind,
    id: String(id),
    chainId: textOf(chainId),
    typeName: textOf(typeName),
    workerId: textOf(workerId),
  };
}

function onBlockerFailureOf(code: unknown): OnBlockerFailure {
  return Number(code) === 1 ? "wait" : "fail";
}

/** A version as it is stored: null is 1. */
function versionOf(value: unknown): number {
  return value === null ? 1 : Number(value);
}

export function textOf(value: unknown): string | undefined {
  return value === null ? undefined : (value as string);
}

export function numberOf(value: unknown): number | undefined {
  return value === null ? undefined : Number(value);
}
