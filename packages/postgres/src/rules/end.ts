import { storedKindOf } from "../failures/table.ts";
import { outputOf, outputVersionOf } from "../claim-names.ts";
import type { Schema } from "../schema.ts";
import { innerFunction, seesThePast } from "../sql-function.ts";

/**
 * Rule "end": writes the ends of jobs that were just deleted from `open_job`. A job without a next one ends its chain with the
 * same status, and the chain's deduplication key of scope "active" is free. Counts the jobs.
 *
 * Returns the ended chains that jobs or processes wait for: `completed` ones, and `broken` ones, which failed or were cancelled.
 * `release_v1` does what follows from that.
 *
 * The first rows of chains are written in the order of their ids. Starts lock them in the same order, so the two never wait for
 * each other in a ring.
 */
export function endFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "end_v1",
    parameters: `p_now double precision, p_n integer[], p_job uuid[], p_chain uuid[], p_type text[], p_status smallint[],
  p_next uuid[], p_output text[], p_errors text[], p_attempt integer[], p_fence integer[],
  p_started double precision[], p_by text[], p_failed_by uuid[], p_reason text[],
  out completed uuid[], out completed_n integer[], out broken uuid[], out broken_n integer[]`,
    returns: "record",
    declare: `  v_keys text[];
  v_holders uuid[];
  v_awaited uuid[];`,
    body: `${readEnds}
${writeFirstRows(s)}
${writeLaterRows(s)}
${countEnds(schema)}
${noteFirstRows}
${findAwaitedChains(s)}
  if 2 = any(p_status) or 3 = any(p_status) then
    perform ${s}.note_stopped_v1(p_now, p_job, p_chain, p_status);
  end if;
${freeKeys(s)}`,
  });
}

/** The first part of one statement, which ends with {@link noteFirstRows}. */
const readEnds = `  with ends as materialized (
    select * from unnest(p_n, p_job, p_chain, p_type, p_status, p_next, p_output, p_errors, p_attempt, p_fence,
        p_started, p_by, p_failed_by, p_reason)
      as e(n, job_id, chain_id, type_name, status, next_id, output, errors, attempt, fence, started_at, ended_by, failed_by,
        reason)),`;

/** Assignments to the row of a chain, which is the row of its first job: the values of another job's end do not belong there. */
export function assignIfOwn(end: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([column, value]) => `      ${column} = case when ${end}.job_id = j.id then ${value} else j.${column} end,`)
    .join("\n");
}

/** The rows of chains: they may have ended themselves, their chain may have ended, or both. */
function writeFirstRows(s: string): string {
  return `  first_rows as (
    update ${s}.job j set
${assignIfOwn("e", {
  status: "e.status",
  output: outputOf("e.output"),
  output_version: outputVersionOf("e.output"),
  errors: "coalesce(e.errors, j.errors)",
  attempt: "e.attempt",
  fence: "e.fence",
  started_at: "e.started_at",
  ended_at: "p_now",
  ended_by: "e.ended_by",
  next_job_id: "e.next_id",
  failed_by: "e.failed_by",
})}
      chain_status = case when e.next_id is null then e.status else j.chain_status end,
      ended_job_id = case when e.next_id is null then e.job_id end,
      reason = e.reason
    from (select * from ends e where e.job_id = e.chain_id or e.next_id is null order by e.chain_id) e
    where j.id = any(array[e.chain_id])
    returning j.id, j.chain_status, j.key, j.key_scope, j.awaited or j.signals is not null as awaited),`;
}

function writeLaterRows(s: string): string {
  return `  later_rows as (
    update ${s}.job j set
      status = e.status,
      output = ${outputOf("e.output")},
      output_version = ${outputVersionOf("e.output")},
      errors = coalesce(e.errors, j.errors),
      attempt = e.attempt,
      fence = e.fence,
      started_at = e.started_at,
      ended_at = p_now,
      ended_by = e.ended_by,
      next_job_id = e.next_id,
      failed_by = e.failed_by
    from (select * from ends e where e.job_id <> e.chain_id order by e.job_id) e
    where j.id = any(array[e.job_id])),`;
}

function countEnds({ quoted: s, positions }: Schema): string {
  return `  counted as (
    insert into ${s}.tally_change (n, type_name, status, count)
    select nextval(${positions}), e.type_name, e.status, e.count
    from (select type_name, status, count(*) as count from ends group by type_name, status) e)`;
}

/** The keys to free, and the chains whose ends processes wait for or that have signals. */
const noteFirstRows = `  select
    array_agg(key) filter (where key_scope = 0 and chain_status > 0), array_agg(id) filter (where key_scope = 0 and chain_status > 0),
    array_agg(id) filter (where awaited and chain_status > 0)
  into v_keys, v_holders, v_awaited
  from first_rows;`;

function findAwaitedChains(s: string): string {
  return `  -- A statement of its own, because jobs that wait for these chains are all visible only after the chains' rows are locked.
  select
    array_agg(e.id) filter (where e.status = 1), array_agg(e.n) filter (where e.status = 1),
    array_agg(e.id) filter (where e.status > 1), array_agg(e.n) filter (where e.status > 1)
  into completed, completed_n, broken, broken_n
  from unnest(p_n, p_chain, p_status, p_next) as e(n, id, status, next_id)
  where e.next_id is null
    and (${seesThePast} or e.id = any(v_awaited) or (select true from ${s}.blocker b where b.chain_id = e.id limit 1));`;
}

function freeKeys(s: string): string {
  return `  if v_keys is not null then
    delete from ${s}.deduplication d using unnest(v_keys, v_holders) as h(key, chain_id)
    where d.key = any(array[h.key]) and d.chain_id = h.chain_id;
  end if;`;
}

/** Notes jobs that failed or were cancelled, whose rows are written, for lists, and notes when retention has to look at their chains. */
export function noteStoppedFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "note_stopped_v1",
    parameters: "p_now double precision, p_job uuid[], p_chain uuid[], p_status smallint[]",
    returns: "void",
    declare: "",
    body: `  insert into ${s}.stopped (job_id, chain_id)
  select e.job_id, e.chain_id from unnest(p_job, p_chain, p_status) as e(job_id, chain_id, status) where e.status > 1;
  insert into ${s}.failure (chain_id, job_id, failed_at, type_name, kind)
  select e.chain_id, e.job_id, p_now, j.type_name, ${storedKindOf("j")}
  from unnest(p_job, p_chain, p_status) as e(job_id, chain_id, status) join ${s}.job j on j.id = any(array[e.job_id])
  where e.status = 2 order by e.chain_id
  on conflict (chain_id) do update
  set job_id = excluded.job_id, failed_at = excluded.failed_at, type_name = excluded.type_name, kind = excluded.kind;
  insert into ${s}.expiry (chain_id, kind, since)
  select e.chain_id, case e.status when 2 then 2 else 1 end, p_now
  from unnest(p_chain, p_status) as e(chain_id, status) where e.status > 1 order by e.chain_id
  on conflict (chain_id, kind) do update set since = excluded.since;`,
  });
}
