import { returnNotes } from "../notes/claimed-notes.ts";
import { resultColumns, resultRow } from "../result-rows.ts";
import type { Schema } from "../schema.ts";
import { lateMs } from "../settled.ts";
import { innerFunction, now, rangeFunction, seesThePast } from "../sql-function.ts";
import { dueAtOnce } from "./claim-due.ts";
import { manyNames } from "./claim-many.ts";
import { began, claimStartRow, hasSkippedMany, passedBefore, tookMs } from "./claim-places.ts";
import { claimedRow, returnBlockers, returnLimits } from "./claimed-rows.ts";

/*
 * The claim as nearly all are: it asks for few names and begins at no known places, no release is pending, no type is paused, and jobs
 * of at most three priorities fill it or are all that there are. A claim costs nearly the same whether it takes one job or none, so this
 * function has few variables, conditions and statements: each takes thousands of instructions. One statement finds out whether the claim
 * is of this kind, one takes the jobs, and one more runs only if they do not fill it. Any other claim is left to `claim_any_v1`.
 */

/** Beyond this many priorities a claim asks for each type at which of them its next job waits: see `claim_any_v1`. */
const fewRanks = 3;

/** Claims jobs. */
export function claimFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return rangeFunction(schema, {
    name: "claim_v1",
    parameters: "p_alone text, p_now text, p_worker text, p_types text, p_leases text, p_limit text, p_start text",
    returns: `table(${resultColumns})`,
    declare: `  ${began};
  v_now double precision := ${now};
  -- Null where a process of the last release passes JSON.
  v_types text[] := case when starts_with(p_types, '{') then p_types::text[] end;
  v_left integer := p_limit::integer;
  v_passed bigint := ${passedBefore(s)};
  v_is_plain boolean;
  v_is_due boolean;
  v_is_more boolean;
  v_is_ranked boolean;
  v_rank smallint;
  v_ranks smallint[] := '{}';
  v_taken integer;
  v_next double precision;`,
    body: `  -- Before the first statement, which may wait for the lock of a table.
  if p_alone <> '0' then
    perform set_config('lock_timeout', p_alone, true);
  end if;
${lookWhetherPlain(s)}
  if v_is_plain and v_is_due then
${makeReady(s)}
  end if;
  if v_is_plain then
    loop
      if v_rank is not null then
${takeFirst(s)}
        get diagnostics v_taken = row_count;
        v_left := v_left - v_taken;
        exit when v_left = 0;
      end if;
${lookForMore(s)}
    end loop;
    if ${notedRare} <> '' then
      return query select * from ${s}.claimed_rare_v1();
    end if;
  end if;
  if not v_is_plain or v_is_more then
    return query select * from ${s}.claim_any_v1(p_alone, p_now, p_worker, p_types, p_leases, v_left::text, p_start);
    return;
  end if;
  if v_left > 0 and v_next is not null then
    return query select ${resultRow("nextDue", { dueInMs: "v_next - v_now" })};
  end if;
  if ${hasSkippedMany(s)} then
    return query select * from ${s}.claim_start_v1(v_began, v_now, p_worker, v_types, v_ranks || v_rank, p_limit::integer - v_left);
  end if;`,
  });
}

/**
 * What the `guard` asks for is among these conditions: a claim that does not meet them is refused by `claim_any_v1`, or runs there. The order
 * of due jobs keeps the planner from the index by types, which it would read completely. A claim that begins at known places does not
 * look, because it would have to skip what is before them.
 */
function lookWhetherPlain(s: string): string {
  return `  select
    coalesce(p_start is null and cardinality(v_types) <= ${manyNames}
      and not ${seesThePast}
      and not current_setting('transaction_read_only')::boolean
      and not exists (select from ${s}.release), false),
    case when p_start is null then (
      select true from ${s}.open_job o where o.state = 1 and o.due_at <= v_now order by o.due_at limit 1) is not null end,
    case when p_start is null then (select o.rank from ${s}.open_job o where o.state = 0 order by o.rank limit 1) end
  into v_is_plain, v_is_due, v_rank;`;
}

/** Afterwards `v_is_due` is whether due jobs may be left. */
function makeReady(s: string): string {
  return `    select not d.is_limited, d.is_left into v_is_plain, v_is_due from ${s}.make_ready_v1(v_now, v_left) d;
    select o.rank into v_rank from ${s}.open_job o where o.state = 0 order by o.rank limit 1;`;
}

/**
 * Makes due jobs ready at their old positions, and ends the waits of those whose time is over. Those under limits belong into lanes, and
 * are left to `claim_any_v1`.
 */
export function makeReadyFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "make_ready_v1",
    parameters: "p_now double precision, p_limit integer, out is_limited boolean, out is_left boolean",
    returns: "record",
    declare: `  v_most integer := greatest(p_limit, ${dueAtOnce});
  v_waited uuid[];`,
    body: `  with due as materialized (
    select o.ctid as at, o.lane from ${s}.open_job o
    where o.state = 1 and o.due_at <= p_now order by o.due_at limit v_most for update skip locked),
  ready as (
    update ${s}.open_job o set state = 0, waits = case when o.waits is not null then false end
    from due d where o.ctid = d.at and d.lane is null
    returning o.job_id, o.waits)
  select d.is_limited, d.is_left, r.waited into is_limited, is_left, v_waited
  from (select coalesce(bool_or(d.lane is not null), false) as is_limited, count(*) = v_most as is_left from due d) d,
    (select array_agg(r.job_id) filter (where r.waits is not null) as waited from ready r) r;
  if v_waited is not null then
    delete from ${s}.topic t where t.job_id = any(v_waited);
  end if;`,
  });
}

/**
 * Leases the first jobs of this rank that no one has leased or locked, type by type, and returns them. Without a condition on the
 * position, because an index scan checks it for each entry of a page: 80,000 instructions.
 *
 * It takes none while a type is paused. It has to read the pauses itself: a job that was started after a pause could begin if both came
 * after an earlier statement. The condition on `at` is always true, and keeps the planner from the index, which has a page even then.
 *
 * A job that has changed since the statement began and can still be claimed, as when its late worker defers it, stays for the next claim.
 */
function takeFirst(s: string): string {
  return `        return query
        update ${s}.open_job o set
          leased_by = p_worker, leased_until = v_now + t.lease, started_at = v_now, attempt = o.attempt + 1,
          fence = o.fence + 1
        from (
          select c.at, c.since, t.type_name, t.lease
          from unnest(v_types, p_leases::double precision[]) as t(type_name, lease),
          lateral (
            select o.ctid as at, greatest(o.due_at, o.leased_until) as since
            from ${s}.open_job o
            where o.state = 0 and o.rank = v_rank and o.type_name = t.type_name and o.leased_until <= v_now
            order by o.position limit v_left for update skip locked) c
          where not exists (select from ${s}.pause p where p.at is not null)
          limit v_left) t, ${s}.job j
        where o.ctid = t.at and j.id = any(array[o.job_id])
        returning ${claimedRow("o.attempt", "o.fence", rareOr("claimed"))};`;
}

/** Finds out whether jobs of other priorities are present, and when the next job is due or the next lease ends. */
function lookForMore(s: string): string {
  return `      select
        exists (select from ${s}.open_job o where o.state = 0 and o.rank > v_rank),
        v_is_due or exists (select from ${s}.pause p where p.at is not null),
        (select min(least(
            (select o.due_at from ${s}.open_job o where o.state = 1 and o.type_name = t.type_name and o.due_at >= v_now - ${lateMs}
              order by o.due_at limit 1),
            case when not (${hasSkippedMany(s)}) then (
              select min(o.leased_until) from ${s}.open_job o
              where o.state = 0 and o.rank = any(v_ranks || v_rank) and o.type_name = t.type_name and o.leased_until > v_now) end))
          from unnest(v_types) as t(type_name))
      into v_is_ranked, v_is_more, v_next;
      exit when v_is_more or not v_is_ranked;
      v_is_more := cardinality(v_ranks) = ${fewRanks - 1};
      exit when v_is_more;
      v_ranks := v_ranks || v_rank;
      select o.rank into v_rank from ${s}.open_job o where o.state = 0 and o.rank > v_rank order by o.rank limit 1;`;
}

/*
 * What few jobs have is read after they are taken. Their ids are in a setting of the transaction meanwhile, because the rows of a
 * statement are either returned or read.
 */

const rareJobs = "'chainwright.rare_jobs'";
const notedRare = `current_setting(${rareJobs}, true)`;

/** The kind of a row of a job, whose id it notes if the job has blockers, limits, signals, or has noted something. */
const rareOr = (kind: string) =>
  `case when o.has_blockers or o.lane is not null or o.waits is not null or o.noted
          then left(set_config(${rareJobs}, concat(${notedRare}, ',', o.job_id), true), 0) || '${kind}' else '${kind}' end`;

/** Returns what these jobs have more than others, and forgets their ids. */
export function claimedRareFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "claimed_rare_v1",
    parameters: "",
    returns: `table(${resultColumns})`,
    declare: `  v_blocked uuid[] := string_to_array(substr(${notedRare}, 2), ',')::uuid[];
  v_limited uuid[] := v_blocked;
  v_noted uuid[] := v_blocked;`,
    body: `  perform set_config(${rareJobs}, '', true);
${returnBlockers(s)}
${returnLimits(s)}
${returnNotes(s)}`,
  });
}

/**
 * Returns where a claim that had to skip many entries found the first row that it took, by priority and type. It skips them once more,
 * and stops at the last row that the claim took.
 */
export function claimStartFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "claim_start_v1",
    parameters: `v_began timestamptz, v_now double precision, p_worker text, v_types text[], p_ranks smallint[], p_taken integer`,
    returns: `table(${resultColumns})`,
    declare: `  v_left integer := p_taken;
  v_rank smallint;
  v_type text;
  v_found integer;
  v_position bigint;
  v_first jsonb := '[]';`,
    body: `  <<search>>
  foreach v_rank in array p_ranks loop
    foreach v_type in array v_types loop
      exit search when v_left <= 0;
      select count(*), min(f.position) into v_found, v_position
      from (
        select o.position from ${s}.open_job o
        where o.state = 0 and o.rank = v_rank and o.type_name = v_type and o.leased_by = p_worker and o.started_at = v_now
        order by o.position limit v_left) f;
      continue when v_found = 0;
      v_first := v_first || jsonb_build_array(jsonb_build_array(v_rank, v_type, v_position));
      v_left := v_left - v_found;
    end loop;
  end loop;
  return query select ${claimStartRow(schema, {
    places: "v_first",
    ranks: "p_ranks",
    newest: "null",
    due: `v_now - ${lateMs}`,
    returned: "'[]'::json",
    released: "0",
    inbox: "0",
    tookMs: tookMs(s),
  })};`,
  });
}
