import type { Claim, ClaimedBlocker, ClaimedJob } from "chainwright/adapter";
import { foundOf } from "../result-rows.ts";
import type { Fact, Found } from "../result-rows.ts";
import { factColumns, factRow } from "../result-columns.ts";
import { guard, nowOf, outerFunction } from "../sql-function.ts";
import { literal } from "../schema.ts";
import type { Schema } from "../schema.ts";
import type { FunctionCall } from "../store.ts";

/** `front` is where to look from, see `createFront`; null: from the beginning. */
export function claimCall({ workerId, types, limit }: Claim, front: string | null): FunctionCall {
  const [typeNames, leases] = [types.map(({ typeName }) => typeName), types.map(({ leaseMs }) => leaseMs)];
  return {
    name: "claim_v1",
    parameters: [workerId, JSON.stringify(typeNames), `{${leases.join(",")}}`, String(limit), front],
  };
}

export interface Claimed {
  readonly claimed: readonly ClaimedJob[];
  readonly nextDueInMs: number | undefined;
  /** Where the next ones may look from; undefined unless this one had to pass by many rows. */
  readonly found: Found | undefined;
}

export function claimedOf(facts: readonly Fact[]): Claimed {
  const claimed: ClaimedJob[] = [];
  const blockers = new Map<string, ClaimedBlocker[]>();
  let nextDueInMs: number | undefined;
  let found: Found | undefined;
  for (const fact of facts) {
    if (fact.kind === "claimed") claimed.push(claimedJobOf(fact, blockers));
    else if (fact.kind === "blocker") blockers.get(fact.jobId)?.push(blockerOf(fact));
    else if (fact.kind === "next") nextDueInMs = Math.max(0, fact.wait);
    else if (fact.kind === "front") found = foundOf(fact);
  }
  return { claimed, nextDueInMs, found };
}

function claimedJobOf(fact: Fact, blockersByJob: Map<string, ClaimedBlocker[]>): ClaimedJob {
  const blockers: ClaimedBlocker[] = [];
  if (fact.status === "blocked") blockersByJob.set(fact.jobId, blockers);
  return {
    id: fact.jobId,
    chainId: fact.chainId,
    typeName: fact.typeName,
    step: fact.step,
    priority: fact.priority,
    input: fact.body ?? "",
    attempt: fact.attempt,
    fence: fact.fence,
    errors: fact.extra ?? undefined,
    createdAt: fact.at,
    waitedMs: Math.max(0, fact.wait),
    context: fact.context ?? undefined,
    blockers,
  };
}

function blockerOf({ chainId, typeName, body, extra, at, wait, context }: Fact): ClaimedBlocker {
  return {
    chainId,
    typeName,
    input: body ?? "",
    output: extra ?? "",
    createdAt: at,
    endedAt: wait,
    context: context ?? undefined,
  };
}

/** Another one in each process of a server: also after a failover that no client has noticed. */
const thisServer = "(extract(epoch from pg_postmaster_start_time()) * 1000000)::bigint::text";

/** The rank of priority 0, which most jobs have. */
const plainRank = -1;
/** Beyond all ranks. */
const noRank = 40_000;

/**
 * For the highest priority that is present, and each type in the given order, takes from the front of one index range until
 * the limit is reached: what it reads is what it takes and what others hold before that. Rows of other claims are passed by.
 * Most claims end here. Where other priorities are present, it asks once for each type at which of them the next job waits,
 * and goes on there: priorities, and types that nobody here handles, cost it nothing.
 *
 * What jobs that have gone leave in the index is passed by as well, and while some transaction keeps an old snapshot open
 * that cannot be cleared away: with 90,000 of them a job's claim costs ten times as much. So a claim that had to pass by
 * many tells where it found its first rows (`p_start`, by priority and type), and the next ones look from there. They
 * do so on the same server only: after a failover that lost commits, positions are given out a second time, and new jobs may
 * come before the front.
 */
export function claimFunction(schema: Schema): string {
  const { quoted: s } = schema;
  const index = literal(`${s}.open_job_ready`);
  return outerFunction(schema, {
    name: "claim_v1",
    parameters: "p_alone text, p_now text, p_worker text, p_types text, p_leases text, p_limit text, p_start text",
    returns: `table(${factColumns})`,
    declare: `  v_now double precision := ${nowOf("p_now")};
  v_types text[] := array(select json_array_elements_text(p_types::json));
  v_leases double precision[] := p_leases::double precision[];
  v_left integer := p_limit::integer;
  v_start_at jsonb := case when p_start is null then null when p_start::jsonb->>'server' = ${thisServer} then p_start::jsonb end;
  v_known smallint[] := array(select k.rank::smallint from jsonb_object_keys(v_start_at->'ranks') as k(rank) order by 1);
  v_from bigint := coalesce(v_start_at->>'from', '0')::bigint;
  v_passed bigint := -pg_stat_get_xact_tuples_returned(${index}::regclass);
  v_first jsonb := '[]';
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
  v_next double precision;`,
    body: `${guard("p_alone")}
  -- A claim that finds nothing writes nothing: a server that was a primary before would not be noticed.
  if current_setting('transaction_read_only')::boolean then
    raise exception 'cannot claim in a read-only transaction' using errcode = 'read_only_sql_transaction';
  end if;
  -- One look at the front of an index tells whether anything came due; another one, whether ended chains have jobs to release.
  select exists (select from ${s}.open_job o where o.state = 1 and o.due_at <= v_now), exists (select from ${s}.release)
  into v_is_due, v_is_releasing;
  if v_is_releasing then
    return query select * from ${s}.resume_release_v1(v_now);
  end if;
  if v_is_due then
    update ${s}.open_job o set state = 0
    from (
      select o.ctid from ${s}.open_job o where o.state = 1 and o.due_at <= v_now
      order by o.due_at limit greatest(v_left, 500) for update skip locked) d
    where o.ctid = d.ctid;
  end if;
  while v_left > 0 loop
    if v_next_ranks is null then
      -- The next priority that is present: one that is known to be, unless there is one between.
      v_next_known := v_known[1];
      select o.rank into v_next_rank from ${s}.open_job o
      where o.state = 0 and o.rank > coalesce(v_rank, -32769) and o.rank < coalesce(v_next_known, 32768)
      order by o.rank limit 1;
      if v_next_rank is null then
        v_next_rank := v_next_known;
        v_known := v_known[2:];
        exit when v_next_rank is null;
      end if;
    end if;
    if v_rank is not null then
      ${nextRanks(s)}
      v_next_rank := least(v_next_rank, case when v_rank < ${plainRank} then ${plainRank} end);
      exit when v_next_rank = ${noRank};
    end if;
    v_rank := v_next_rank;
    if v_next_ranks is null or v_rank = ${plainRank} then
      v_ranks := v_ranks || v_rank::smallint;
    end if;
    if v_start_at is not null then
      v_floors := array(select f.position::bigint from jsonb_array_elements_text(v_start_at->'ranks'->v_rank::text) as f(position));
    end if;
    select array_agg(c.ctid), array_agg(c.job_id), array_agg(c.lease), array_agg(c.since),
      array_agg(c.job_id) filter (where c.has_blockers)
    into v_rows, v_jobs, v_lease, v_since, v_blocked
    from (
      select c.ctid, c.job_id, c.has_blockers, t.lease, c.since
      from unnest(v_types, v_leases, v_floors, v_next_ranks) as t(type_name, lease, floor, rank),
      lateral (
        select o.ctid, o.job_id, o.has_blockers, greatest(o.due_at, o.leased_until) as since
        from ${s}.open_job o
        where o.state = 0 and o.rank = v_rank::smallint and o.type_name = t.type_name and o.position >= coalesce(t.floor, v_from)
          and o.leased_until <= v_now
        order by o.position limit v_left for update skip locked) c
      where t.rank is null or t.rank = v_rank or v_rank = ${plainRank}
      limit v_left) c;
    if v_rows is not null then
      return query ${takenRows(s)};
      v_left := v_left - cardinality(v_rows);
      v_passed := v_passed - cardinality(v_rows);
      if v_start_at is not null or v_passed + pg_stat_get_xact_tuples_returned(${index}::regclass) > 1000 + 10 * p_limit::integer then
        v_first := v_first || (
          select jsonb_agg(jsonb_build_array(v_rank, o.type_name, o.position))
          from (
            select o.type_name, min(o.position) as position from ${s}.open_job o where o.job_id = any(v_jobs) group by o.type_name) o);
      end if;
      if v_blocked is not null then
        return query ${claimedBlockers(s)};
      end if;
    end if;
  end loop;
  if v_left > 0 then
    ${nextDue(s)}
    into v_next;
    if v_next_ranks is not null and v_start_at is null then
      ${nextRankedLease(s)}
      into v_next;
    end if;
    if v_next is not null then
      return query select ${factRow({ kind: "'next'", wait: "v_next - v_now" })};
    end if;
  end if;
  if v_first <> '[]' then
    return query select ${factRow({ kind: "'front'", body: `json_build_object('server', ${thisServer}, 'places', v_first)::text` })};
  end if;`,
  });
}

/**
 * For each type, at which priority after this one the first job waits that nobody holds, other than priority 0. Those found
 * before stay, as far as they are still to come.
 */
const nextRanks = (s: string) => `select array_agg(n.rank order by n.n), min(n.rank) into v_next_ranks, v_next_rank
      from (
        select t.n, case when t.rank > v_rank then t.rank else coalesce((
          select o.rank::integer from ${s}.open_job o
          where o.state = 0 and o.rank <> ${plainRank} and o.type_name = t.type_name and o.rank > v_rank::smallint
            and o.position >= v_from and o.leased_until <= v_now
          order by o.rank limit 1), ${noRank}) end as rank
        from unnest(v_types, v_next_ranks) with ordinality as t(type_name, rank, n)) n;`;

const takenRows = (s: string) => `with taken as (
  update ${s}.open_job o set
    leased_by = p_worker, leased_until = v_now + t.lease, started_at = v_now, attempt = o.attempt + 1,
    fence = o.fence + 1
  from unnest(v_rows, v_lease, v_since) with ordinality as t(at, lease, since, n)
  where o.ctid = t.at
  returning o.job_id, o.attempt, o.fence, o.has_blockers, t.since, t.n)
select ${factRow({
  kind: "'claimed'",
  job_id: "j.id",
  chain_id: "j.chain_id",
  type_name: "j.type_name",
  step: "j.step",
  priority: "j.priority::integer",
  attempt: "t.attempt",
  fence: "t.fence",
  at: "j.created_at",
  wait: "v_now - t.since",
  status: "case when t.has_blockers then 'blocked' end",
  body: "j.input",
  extra: "j.errors",
  context: "j.context",
})}
from taken t join ${s}.job j on j.id = any(array[t.job_id])
order by t.n`;

/** One that is not there has its place all the same: its job's attempt fails to read it, and is not given another's output. */
const claimedBlockers = (s: string) => `select ${factRow({
  kind: "'blocker'",
  job_id: "b.job_id",
  chain_id: "b.chain_id",
  type_name: "f.type_name",
  at: "f.created_at",
  wait: "e.ended_at",
  body: "f.input",
  extra: "e.output",
  context: "f.context",
})}
from ${s}.blocker b
left join ${s}.job f on f.id = any(array[b.chain_id])
left join ${s}.job e on e.id = any(array[f.ended_job_id])
where b.job_id = any(v_blocked)
order by b.job_id, b.position`;

const nextDue = (s: string) => `select least(
  (select min(d.due_at)
   from unnest(v_types) as t(type_name), lateral (
     select o.due_at from ${s}.open_job o where o.state = 1 and o.type_name = t.type_name order by o.due_at limit 1) d),
  (select min(l.leased_until)
   from unnest(case when v_start_at is null then v_ranks end) as r(rank), unnest(v_types) as t(type_name), lateral (
     select min(o.leased_until) as leased_until from ${s}.open_job o
     where o.state = 0 and o.rank = r.rank and o.type_name = t.type_name and o.leased_until > v_now) l))`;

/** The same for leases at all priorities but 0, of claims that did not ask every type at each of them. */
const nextRankedLease = (s: string) => `select least(v_next, min(l.leased_until))
    from unnest(v_types) as t(type_name), lateral (
      select min(o.leased_until) as leased_until from ${s}.open_job o
      where o.state = 0 and o.rank <> ${plainRank} and o.type_name = t.type_name and o.leased_until > v_now) l`;
