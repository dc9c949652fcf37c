import { plainRank } from "../claim-start.ts";
import { resultColumns, resultRow } from "../result-rows.ts";
import type { Schema } from "../schema.ts";
import { guard, now, outerFunction } from "../sql-function.ts";
import {
  dueVariables,
  findNextDue,
  lockReturnedJobs,
  lookForDueJobsAndReleases,
  makeDueJobsReady,
} from "./claim-due.ts";
import { beginAgainWithPresentNames, beginWithFirstNames, keepScheduledNames, manyVariables } from "./claim-many.ts";
import { lanesIfTold, lanesOnTheWay, type LaneParts } from "../limits/claim-lanes.ts";
import { notedJobs, returnNotes } from "../notes/claimed-notes.ts";
import { claimedRow, returnBlockers, returnLimits } from "./claimed-rows.ts";
import { isUnpaused } from "./pause.ts";
import { hasSkippedMany, noteFirstPlaces, returnStart, startVariables } from "./claim-places.ts";

/** Higher than all ranks. */
const noRank = 40_000;

/**
 * Claims jobs where `claim_v1` cannot. For the highest priority that is present, it takes jobs of each type in the given order from the
 * beginning of one index range until the limit is reached. It reads the rows that it takes and the leased and locked rows before them,
 * which it skips. If there are other priorities, it finds out once for each type at which of them the next job waits, and continues
 * there. So priorities, and types that this worker does not handle, cost nothing.
 *
 * It also skips index entries of jobs that have ended. Postgres cannot remove these while a transaction keeps an old snapshot open:
 * with 90,000 of them the claim of a job costs ten times as much. So a claim that had to skip many entries returns where it
 * found its first rows, by priority and type, and the next claims begin there (`p_start`). It also returns the moment before which
 * no job is due any more, because entries of jobs that were due stay in their index as well. Jobs that become ready before these
 * places are claimed by their ids, if this process made them ready. All this works on the same server only: after a failover that
 * lost commits, positions are given out a second time, and new jobs may be before that place.
 */
export function claimAnyFunction(schema: Schema): string {
  return claimText(schema, { name: "claim_any_v1", more: "", lanes: lanesOnTheWay(schema.quoted) });
}

/** The same with the most jobs under limits that it returns, and whether it looks for them. */
export function claimLimitedFunction(schema: Schema): string {
  const more = ", p_startable text, p_limited text";
  return claimText(schema, { name: "claim_v2", more, lanes: lanesIfTold(schema.quoted) });
}

interface ClaimText {
  readonly name: string;
  /** More parameters. */
  readonly more: string;
  readonly lanes: LaneParts;
}

function claimText(schema: Schema, { name, more, lanes }: ClaimText): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name,
    parameters: `p_alone text, p_now text, p_worker text, p_types text, p_leases text, p_limit text, p_start text${more}`,
    returns: `table(${resultColumns})`,
    declare: `${declarations(schema)}
${lanes.variables}`,
    body: `${guard}${lanes.begin}
${refuseReadOnlyServer}
${readTypesAsJson}
${lookForDueJobsAndReleases(s)}
${resumeReleases(s)}
${makeDueJobsReady(s, lanes)}
${beginWithFirstNames}
${lanes.first}  while v_left > 0 loop
${findNextRank(s)}
${findNextRankOfEachType(s)}
${goToNextRank}
    -- First the jobs that have become ready before the places where the claim begins, then those after these places.
    for v_turn in case when v_returned_ranks is null then 2 else 1 end .. 2 loop
      exit when v_left = 0;
      if v_turn = 1 then
${lockReturnedJobs(s)}
      else
${lockReadyJobs(s)}
      end if;
      continue when v_rows is null;
${leaseLockedJobs(s)}
${noteFirstPlaces(s)}
${returnBlockers(s)}
${returnLimits(s)}
${returnNotes(s)}
    end loop;
${beginAgainWithPresentNames(s)}
  end loop;
${lanes.last}  if v_left > 0 then
${keepScheduledNames(s)}
${findNextDue(s)}
${includeLeasesOfRankedJobs(s)}
${returnNextDue}
  end if;
${returnStart(schema)}`,
  });
}

function declarations(schema: Schema): string {
  return `  v_now double precision := ${now};
  -- Processes of the last release pass JSON.
  v_types text[] := case when starts_with(p_types, '{') then p_types::text[] end;
  v_leases double precision[] := p_leases::double precision[];
  v_left integer := p_limit::integer;
${startVariables(schema)}
${dueVariables}
${manyVariables}
  v_is_due boolean;
  v_is_releasing boolean;
  v_next_known smallint;
  v_rank integer;
  v_next_rank integer;
  v_next_ranks integer[];
  v_ranks smallint[] := '{}';
  v_floors bigint[];
  v_rows tid[];
  v_jobs uuid[];
  v_lease double precision[];
  v_since double precision[];
  v_blocked uuid[];
  v_limited uuid[];
  v_noted uuid[];
  v_next double precision;`;
}

const refuseReadOnlyServer = `  -- A claim that finds nothing writes nothing, so it would not notice that the server is no primary any more.
  if current_setting('transaction_read_only')::boolean then
    raise exception 'cannot claim in a read-only transaction' using errcode = 'read_only_sql_transaction';
  end if;`;

const readTypesAsJson = `  if v_types is null then
    v_types := array(select json_array_elements_text(p_types::json));
  end if;`;

function resumeReleases(s: string): string {
  return `  if v_is_releasing then
    return query select * from ${s}.resume_release_v2(v_now, v_release_from);
  end if;`;
}

function findNextRank(s: string): string {
  return `    if v_next_ranks is null then
      -- The next priority that is present. It is the next known one, unless there is one before it.
      v_next_known := v_known[1];
      select o.rank into v_next_rank from ${s}.open_job o
      where o.state = 0 and o.rank > coalesce(v_rank, -32769) and o.rank < coalesce(v_next_known, 32768)
      order by o.rank limit 1;
      if v_next_rank is null then
        v_next_rank := v_next_known;
        v_known := v_known[2:];
        exit when v_next_rank is null;
      end if;
    end if;`;
}

function findNextRankOfEachType(s: string): string {
  return `    if v_rank is not null then
      -- For each type, at which priority after this one, other than 0, the next job waits that no one has leased. Priorities that
      -- were found before stay as long as they are still to come.
      select array_agg(n.rank order by n.n), min(n.rank) into v_next_ranks, v_next_rank
      from (
        select t.n, case when t.rank > v_rank then t.rank else coalesce((
          select o.rank::integer from ${s}.open_job o
          where o.state = 0 and o.rank <> ${plainRank} and o.type_name = t.type_name and o.rank > v_rank::smallint
            and o.position >= v_from and o.leased_until <= v_now
          order by o.rank limit 1), ${noRank}) end as rank
        from unnest(v_types, v_next_ranks) with ordinality as t(type_name, rank, n)) n;
      v_next_rank := least(v_next_rank, case when v_rank < ${plainRank} then ${plainRank} end,
        (select min(r.rank) from unnest(v_returned_ranks) as r(rank) where r.rank > v_rank));
      exit when v_next_rank = ${noRank};
    end if;`;
}

const goToNextRank = `    v_rank := v_next_rank;
    if v_next_ranks is null or v_rank = ${plainRank} then
      v_ranks := v_ranks || v_rank::smallint;
    end if;
    if v_start_at is not null then
      v_floors := array(select f.position::bigint from jsonb_array_elements_text(v_start_at->'ranks'->v_rank::text) as f(position));
    end if;`;

/** Locks the first jobs of this rank that no one has leased or locked, type by type. */
function lockReadyJobs(s: string): string {
  return `    select array_agg(c.ctid), array_agg(c.job_id), array_agg(c.lease), array_agg(c.since),
      array_agg(c.job_id) filter (where c.has_blockers), array_agg(c.job_id) filter (where c.lane is not null or c.waits is not null),
      ${notedJobs}
    into v_rows, v_jobs, v_lease, v_since, v_blocked, v_limited, v_noted
    from (
      select c.ctid, c.job_id, c.has_blockers, c.lane, c.waits, c.noted, t.lease, c.since
      from unnest(v_types, v_leases, v_floors, v_next_ranks) as t(type_name, lease, floor, rank),
      lateral (
        select o.ctid, o.job_id, o.has_blockers, o.lane, o.waits, o.noted, greatest(o.due_at, o.leased_until) as since
        from ${s}.open_job o
        where o.state = 0 and o.rank = v_rank::smallint and o.type_name = t.type_name and o.position >= coalesce(t.floor, v_from)
          and o.leased_until <= v_now
        order by o.position limit v_left for update skip locked) c
      where (t.rank is null or t.rank = v_rank or v_rank = ${plainRank}) and ${isUnpaused(s, "t.type_name", "v_now")}
      limit v_left) c;`;
}

function leaseLockedJobs(s: string): string {
  return `      return query
      with taken as (
        update ${s}.open_job o set
          leased_by = p_worker, leased_until = v_now + t.lease, started_at = v_now, attempt = o.attempt + 1,
          fence = o.fence + 1
        from unnest(v_rows, v_lease, v_since) with ordinality as t(at, lease, since, n)
        where o.ctid = t.at
        returning o.job_id, o.type_name, o.attempt, o.fence, t.since, t.n)
      select ${claimedRow("t.attempt", "t.fence")}
      from taken t join ${s}.job j on j.id = any(array[t.job_id])
      order by t.n;
      v_left := v_left - cardinality(v_rows);
      v_passed := v_passed - cardinality(v_rows);`;
}

function includeLeasesOfRankedJobs(s: string): string {
  return `    if v_next_ranks is not null and v_start_at is null and not (${hasSkippedMany(s)}) then
      -- The same for leases at all priorities but 0, because not every type was asked for at each of them.
      select least(v_next, min(l.leased_until))
      from unnest(v_types) as t(type_name), lateral (
        select min(o.leased_until) as leased_until from ${s}.open_job o
        where o.state = 0 and o.rank <> ${plainRank} and o.type_name = t.type_name and o.leased_until > v_now) l
      into v_next;
    end if;`;
}

const returnNextDue = `    if v_next is not null then
      return query select ${resultRow("nextDue", { dueInMs: "v_next - v_now" })};
    end if;`;
