import type { ChainStatus, FaultKind, JobStatus, OnBlockerFailure, Tags } from "chainwright";
import {
  gathersBy,
  type ChainRecord,
  type FollowUpKind,
  type JobRecord,
  type KeyScope,
  type LimitKey,
  type PayloadQuery,
  type StoreFault,
} from "chainwright/adapter";
import { lastStep } from "./ends/tables.ts";
import type { StoredLimits } from "./limits/stored-limits.ts";
import type { PostgresRow } from "./driver.ts";
import type { Schema } from "./schema.ts";
import { receivedOf, type StoredReceived, type StoredWait } from "./signals/stored-waits.ts";

/** The status of a job `j` with its row `o` in `open_job`, if it has one. */
export const jobStatus = (now: string) =>
  `case j.status when 1 then 'completed' when 2 then 'failed' when 3 then 'cancelled' else ${openStatus(now)} end`;

/** The status of a row `o` of `open_job`. */
const openStatus = (
  now: string,
) => `case when o.waits and (o.state = 2 or o.state = 1 and o.due_at > ${now}) then 'waiting' when o.state = 2 then 'blocked' when o.leased_until > ${now} then 'running'
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
 * A payload column, without those that a list does not read, and the sizes of these. Postgres knows the size without reading what it keeps
 * beside the table. The number is one that the engine has checked.
 */
const payload = (column: string, most: number | undefined) =>
  most === undefined ? column : `case when octet_length(${column}) <= ${most} then ${column} end`;

const omittedColumns = (input: string, output: string, most: number | undefined) =>
  [input, output]
    .map((column, at) => {
      const size = `octet_length(${column})`;
      return `${most === undefined ? "null::integer" : `case when ${size} > ${most} then ${size} end`} as ${at === 0 ? "input" : "output"}_bytes`;
    })
    .join(", ");

/**
 * Selects jobs as `jobRecordOf` reads them, each with its row in `open_job` if it has one. No two columns have the same name,
 * because some clients return rows as objects.
 *
 * `isOfOpen`: only open jobs, with which the plan begins. Else it begins with the jobs, and looks up which of them are open.
 */
export const selectJobs = (
  { quoted: s }: Schema,
  now: string,
  { mostPayloadBytes: most }: PayloadQuery = {},
  isOfOpen = false,
) => `select j.id, j.chain_id, j.type_name, j.step, ${jobStatus("moment.now")} as status,
  j.priority, ${payload("j.input", most)} as input, ${payload("j.output", most)} as output, j.errors, coalesce(o.attempt, j.attempt) as attempt, ${wholeMs("j.created_at")} as created_at, ${wholeMs("case when o.state <> 2 then o.due_at end")} as due_at,
  coalesce(o.leased_by, j.ended_by) as worker, ${wholeMs("coalesce(o.started_at, j.started_at)")} as started_at,
  ${wholeMs("o.leased_until")} as leased_until, ${wholeMs("j.ended_at")} as ended_at,
  j.next_job_id, j.on_blocker_failure, coalesce(o.blockers_left, 0) as blockers_left, coalesce(o.has_blockers, false)::integer as has_blockers,
  j.version, j.pool, j.output_version, case when o.fence = 0 then j.key_scope end as gathers_by, ${wholeMs("j.key_until")} as key_until,
  case j.status when 0 then j.limits end as limits, case when o.waits then j.waits end as waits, ${most === undefined ? "j.received" : "null::text as received"},
  ${omittedColumns("j.input", "j.output", most)}
from (select ${momentOf(now)} as now) moment
cross join ${isOfOpen ? `${s}.open_job o join ${s}.job j on j.id = any(array[o.job_id])` : `${s}.job j left join ${s}.open_job o on o.job_id = any(array[j.id])`}`;

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
    ...payloadsOf(row[6], row[7], row.slice(28, 30)),
    outputVersion: versionOf(row[22]),
    errors: textOf(row[8]),
    attempt: Number(row[9]),
    createdAt: Number(row[10]),
    scheduledAt: status === "scheduled" ? numberOf(row[11]) : undefined,
    leasedBy: hasAttempt ? textOf(row[12]) : undefined,
    startedAt: hasAttempt ? numberOf(row[13]) : undefined,
    leasedUntil: status === "running" ? numberOf(row[14]) : undefined,
    lapsed: status === "ready" ? lapsedOf(row) : undefined,
    endedAt,
    nextJobId: textOf(row[16]),
    onBlockerFailure: onBlockerFailureOf(row[17]),
    blockersLeft: Number(row[18]),
    gathers: row[23] === null ? undefined : gathersBy(scopes[Number(row[23])], numberOf(row[24])),
    hasBlockers: Number(row[19]) === 1,
    limits: limitsOf(row[25]),
    waits: status === "waiting" ? waitRecordOf(row[26], numberOf(row[11])) : undefined,
    received: receivedSignalsOf(row[27]),
  };
}

/** A job that no worker holds has a lease until 0. */
function lapsedOf(row: PostgresRow): JobRecord["lapsed"] {
  const leasedUntil = numberOf(row[14]) ?? 0;
  if (leasedUntil === 0) return undefined;
  return { leasedBy: textOf(row[12]) ?? "", startedAt: Number(row[13]), leasedUntil };
}

/** Left out is what has a size. What a job has received are payloads too, and no list shows them. */
function payloadsOf(input: unknown, output: unknown, sizes: readonly unknown[]) {
  const [inputBytes, outputBytes] = sizes.map(numberOf);
  return {
    input: textOf(input) ?? "",
    output: textOf(output) ?? (outputBytes === undefined ? undefined : ""),
    omitted: (inputBytes ?? outputBytes) === undefined ? undefined : { input: inputBytes, output: outputBytes },
  };
}

/** `heldKey` of the key of a chain, from its first job. */
export const heldKeyOf = (first: string) =>
  `${first}.key || case ${first}.key_scope when 2 then 'debounce' when 3 then 'throttle' else '' end`;

const scopes: readonly KeyScope[] = ["active", "any", "debounce", "throttle"];

/**
 * The columns of chains as `chainRecordOf` reads them, from their first jobs `f` and the jobs `e` with which they ended. The last ones
 * read other tables only where the chain says that there is something.
 */
export const chainColumns = (
  { quoted: s }: Schema,
  { mostPayloadBytes: most }: PayloadQuery = {},
) => `f.id, f.type_name, f.chain_status, ${payload("f.input", most)} as input, ${payload("e.output", most)} as output, e.errors, f.reason,
  ${wholeMs("f.created_at")} as created_at, ${wholeMs("e.ended_at")} as ended_at, f.key, f.tags,
  e.type_name as output_type_name, f.version, e.output_version,
  case when f.on_end and f.chain_status > 1 then (
    select json_agg(json_build_array(x.id, x.type_name, (c.step = ${lastStep})::integer, x.chain_status) order by x.position)::text
    from ${s}.compensation c join ${s}.job x on x.id = any(array[c.follower]) where c.chain_id = f.id) end as follow_ups,
  case when f.on_end and f.chain_status = 0 then (
    select ${wholeMs("d.at")} from ${s}.deadline d where d.chain_id = f.id) end as deadline_at,
  case when f.follows is not null then (
    select c.chain_id from ${s}.compensation c where c.chain_id = f.follows and c.follower = f.id) end as follows,
  ${omittedColumns("f.input", "e.output", most)}`;

export const selectChains = (
  schema: Schema,
  from = `${schema.quoted}.job f`,
  payloads: PayloadQuery = {},
) => `select ${chainColumns(schema, payloads)}
from ${from} left join ${schema.quoted}.job e on e.id = any(array[f.ended_job_id])`;

export function chainRecordOf(row: PostgresRow): ChainRecord {
  const status = chainStatusOf(row[2]);
  const { input, output, omitted } = payloadsOf(row[3], row[4], row.slice(17, 19));
  return {
    id: String(row[0]),
    typeName: String(row[1]),
    status,
    input,
    omitted,
    version: versionOf(row[12]),
    outputVersion: versionOf(row[13]),
    output: status === "completed" ? output : undefined,
    outputTypeName: status === "completed" ? textOf(row[11]) : undefined,
    errors: status === "failed" ? textOf(row[5]) : undefined,
    reason: status === "cancelled" ? textOf(row[6]) : undefined,
    createdAt: Number(row[7]),
    endedAt: numberOf(row[8]),
    key: textOf(row[9]),
    tags: tagsOf(row[10]),
    followUps: followUpsOf(row[14]),
    deadlineAt: numberOf(row[15]),
    follows: textOf(row[16]),
  };
}

function followUpsOf(value: unknown): ChainRecord["followUps"] {
  const text = textOf(value);
  if (text === undefined) return undefined;
  return (JSON.parse(text) as readonly [string, string, 0 | 1, number][]).map(([chainId, typeName, isLast, status]) => {
    const kind: FollowUpKind = isLast === 1 ? "when-stopped" : "compensation";
    return { chainId, typeName, kind, status: chainStatusOf(status) };
  });
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

/** The limits of a text in `job.limits`. */
function limitKeysOf(text: string): readonly LimitKey[] {
  const { keys } = JSON.parse(text) as StoredLimits;
  return keys.map(([limit, key]) => ({ limit, key }));
}

function limitsOf(value: unknown): JobRecord["limits"] {
  const text = textOf(value);
  return text === undefined ? undefined : limitKeysOf(text);
}

function waitRecordOf(value: unknown, until: number | undefined): JobRecord["waits"] {
  const text = textOf(value);
  if (text === undefined) return undefined;
  const { collect, topics } = JSON.parse(text) as StoredWait;
  return { until, collect, topics };
}

function receivedSignalsOf(value: unknown): JobRecord["received"] {
  const text = textOf(value);
  return text === undefined ? undefined : receivedOf(JSON.parse(text) as StoredReceived);
}

function onBlockerFailureOf(code: unknown): OnBlockerFailure {
  return Number(code) === 1 ? "wait" : "fail";
}

/** A version as it is stored: null is 1. */
function versionOf(value: unknown): number {
  return value === null ? 1 : Number(value);
}

/** Counts, from JSON text. */
export function countsOf(value: unknown): readonly number[] {
  return JSON.parse(String(value)) as number[];
}

export function textOf(value: unknown): string | undefined {
  return value === null ? undefined : (value as string);
}

export function numberOf(value: unknown): number | undefined {
  return value === null ? undefined : Number(value);
}
