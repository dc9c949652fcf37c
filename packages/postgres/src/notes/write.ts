import { mostLogLines } from "chainwright/adapter";
import { resultColumns, resultRow } from "../result-rows.ts";
import type { Schema } from "../schema.ts";
import { guard, now, outerFunction } from "../sql-function.ts";
import { checkpointName } from "./tables.ts";

/** The items of the parameter `p_items` as rows. */
const givenItems = `json_to_recordset(p_items::json) as i(n integer, id uuid, worker text, fence integer, attempt integer, memos json,
      checkpoint text, progress text, lines json)`;

/**
 * Rule "note": writes what attempts note about their jobs, where their fences hold and their leases have not run out. `p_jobs` are the
 * jobs of the items, `p_remembering` those with memos or a checkpoint. A call by itself, and one with `p_skip`, leaves out jobs that
 * another transaction has locked.
 *
 * A memo in the reply is null if this call has written it, and otherwise the value on record.
 */
export function noteFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "note_v1",
    parameters: "p_alone text, p_now text, p_items text, p_jobs text, p_remembering text, p_skip text",
    returns: `table(${resultColumns})`,
    declare: `  v_now double precision := ${now};
  v_jobs uuid[] := p_jobs::uuid[];
  v_first uuid[] := '{}';
  v_free uuid[];
  v_busy uuid[] := '{}';
  v_n integer[];
  v_new jsonb;
  v_over uuid[];
  v_many integer[];`,
    body: `${guard}
${lockJobs(s)}
${writeNotes(s)}
${dropOldestLines(s)}
${reply(s)}`,
  });
}

/** The same for the reports of outcomes, without a reply: the outcomes have one. */
export function reportFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "report_v1",
    parameters: "p_alone text, p_now text, p_items text, p_jobs text",
    returns: `table(${resultColumns})`,
    declare: "",
    body: `  perform from ${s}.note_v1(p_alone, p_now, p_items, p_jobs, '{}', '1');`,
  });
}

/** The first memo of a job changes the row, so its lock is stronger: two of them wait for each other. */
function lockJobs(s: string): string {
  return `  if p_alone is null and p_skip is null then
    perform from ${s}.open_job o where o.job_id = any(v_jobs) order by o.job_id for key share;
  else
    if p_remembering <> '{}' then
      v_free := array(
        select o.job_id from ${s}.open_job o where o.job_id = any(p_remembering::uuid[]) and o.noted is null
        order by o.job_id for no key update skip locked);
      v_first := array(
        select o.job_id from ${s}.open_job o
        where o.job_id = any(p_remembering::uuid[]) and o.noted is null and o.job_id <> all(v_free));
    end if;
    v_free := array(
      select o.job_id from ${s}.open_job o where o.job_id = any(v_jobs) and o.job_id <> all(v_first)
      order by o.job_id for key share skip locked);
    v_busy := array(select o.job_id from ${s}.open_job o where o.job_id = any(v_jobs) and o.job_id <> all(v_free));
  end if;`;
}

/** One statement, in a snapshot that is younger than the locks. */
function writeNotes(s: string): string {
  return `  with held as materialized (
    select i.*, o.noted
    from ${givenItems} join ${s}.open_job o on o.job_id = any(array[i.id])
    where i.id <> all(v_busy) and o.leased_by = i.worker and o.fence = i.fence and o.leased_until > v_now),
  marked as (
    update ${s}.open_job o set noted = true
    from (select distinct h.id from held h where h.noted is null and (h.memos is not null or h.checkpoint is not null) order by h.id) h
    where o.job_id = any(array[h.id])),
  added as (
    insert into ${s}.memo (job_id, name, value, attempt, at)
    select distinct on (h.id, m.name) h.id, m.name, m.value, h.attempt, v_now
    from held h, json_to_recordset(h.memos) as m(name text, value text)
    order by h.id, m.name, h.n
    on conflict (job_id, name) do nothing
    returning job_id, name),
  saved as (
    insert into ${s}.memo (job_id, name, value, attempt, at)
    select distinct on (h.id) h.id, ${checkpointName}, h.checkpoint, h.attempt, v_now
    from held h where h.checkpoint is not null order by h.id, h.n desc
    on conflict (job_id, name) do update set value = excluded.value, attempt = excluded.attempt, at = excluded.at),
  logged as materialized (
    insert into ${s}.log_line (job_id, seq, at, attempt, level, message, data)
    select distinct on (h.id, l.seq) h.id, l.seq, l.at, h.attempt, l.level, l.message, l.data
    from held h, json_to_recordset(h.lines) as l(seq bigint, at double precision, level text, message text, data text)
    order by h.id, l.seq, h.n
    on conflict (job_id, seq) do nothing
    returning job_id),
  reported as (
    insert into ${s}.progress as p (job_id, value, attempt, at, lines)
    select r.id, r.value, r.attempt, case when r.value is not null then v_now end, coalesce(c.lines, 0)
    from (
      select h.id, (array_agg(h.progress order by h.n desc) filter (where h.progress is not null))[1] as value,
        (array_agg(h.attempt order by h.n desc) filter (where h.progress is not null))[1] as attempt
      from held h where h.progress is not null or h.lines is not null group by h.id) r
    left join (select g.job_id, count(*)::integer as lines from logged g group by g.job_id) c on c.job_id = r.id
    order by r.id
    on conflict (job_id) do update set
      value = coalesce(excluded.value, p.value), at = coalesce(excluded.at, p.at), attempt = coalesce(excluded.attempt, p.attempt),
      lines = p.lines + excluded.lines
    returning p.job_id, p.lines)
  select (select array_agg(h.n) from held h),
    (select jsonb_object_agg(a.job_id || ' ' || a.name, null) from added a),
    (select array_agg(r.job_id) from reported r where r.lines > ${mostLogLines}),
    (select array_agg(r.lines - ${mostLogLines}) from reported r where r.lines > ${mostLogLines})
  into v_n, v_new, v_over, v_many;`;
}

/** The number of lines is on record, so that no call has to count them. */
function dropOldestLines(s: string): string {
  return `  if v_over is not null then
    delete from ${s}.log_line l
    where l.ctid = any(array(
      select d.at from unnest(v_over, v_many) as o(job_id, many), lateral (
        select l.ctid as at from ${s}.log_line l where l.job_id = o.job_id order by l.seq limit o.many) d));
    update ${s}.progress p set lines = ${mostLogLines} where p.job_id = any(v_over);
  end if;`;
}

function reply(s: string): string {
  const stored = `(
      select json_agg(case when v_new ? (i.id || ' ' || m.name) then null
        else (select r.value from ${s}.memo r where r.job_id = i.id and r.name = m.name) end order by m.place)::text
      from rows from (json_to_recordset(i.memos) as (name text)) with ordinality as m(name, place))`;
  return `  return query
  select ${resultRow("noted", { n: "i.n", memos: `case when i.memos is not null then ${stored} end` })}
  from ${givenItems} where i.n = any(v_n)
  union all
  select ${resultRow("busy", { n: "i.n" })}
  from ${givenItems} where i.id = any(v_busy)
  union all
  select ${resultRow("lost", { n: "i.n", reason: `${s}.lost_reason_v1(i.id)` })}
  from ${givenItems} where i.n <> all(coalesce(v_n, '{}')) and i.id <> all(v_busy);`;
}
