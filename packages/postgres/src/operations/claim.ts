import type { Claim, ClaimedBlocker, ClaimedJob } from "chainwright";
import type { Fact } from "../facts.ts";
import { factColumns, factRow } from "../functions/fact-row.ts";
import { guard, nowOf, outerFunction } from "../functions/function.ts";
import type { Schema } from "../schema.ts";
import type { FunctionCall } from "../store.ts";

export function claimCall({ workerId, types, limit }: Claim): FunctionCall {
  const [typeNames, leases] = [types.map(({ typeName }) => typeName), types.map(({ leaseMs }) => leaseMs)];
  return {
    name: "claim_v1",
    parameters: [workerId, JSON.stringify(typeNames), `{${leases.join(",")}}`, String(limit)],
  };
}

export interface Claimed {
  readonly claimed: readonly ClaimedJob[];
  readonly nextDueInMs: number | undefined;
}

export function claimedOf(facts: readonly Fact[]): Claimed {
  const claimed: ClaimedJob[] = [];
  const blockers = new Map<string, ClaimedBlocker[]>();
  let nextDueInMs: number | undefined;
  for (const fact of facts) {
    if (fact.kind === "claimed") claimed.push(claimedJobOf(fact, blockers));
    else if (fact.kind === "blocker") blockers.get(fact.jobId)?.push(blockerOf(fact));
    else if (fact.kind === "next") nextDueInMs = Math.max(0, fact.wait);
  }
  return { claimed, nextDueInMs };
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
    errors: fact.extra ?? undefined,
    createdAt: fact.at,
    waitedMs: Math.max(0, fact.wait),
    context: fact.context ?? undefined,
    blockers,
  };
}

function blockerOf({ chainId, typeName, body, extra, at, wait }: Fact): ClaimedBlocker {
  return { chainId, typeName, input: body ?? "", output: extra ?? "", createdAt: at, endedAt: wait };
}

/**
 * For each priority that is present, and each type in the given order, takes from the front of one index range until the
 * limit is reached: what it reads is what it takes and what others hold before that. Rows of other claims are passed by.
 */
export function claimFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "claim_v1",
    parameters: "p_alone text, p_now text, p_worker text, p_types text, p_leases text, p_limit text",
    returns: `table(${factColumns})`,
    declare: `  v_now double precision := ${nowOf("p_now")};
  v_types text[] := array(select json_array_elements_text(p_types::json));
  v_leases double precision[] := p_leases::double precision[];
  v_left integer := p_limit::integer;
  v_rank smallint;
  v_ranks smallint[] := '{}';
  v_rows tid[];
  v_lease double precision[];
  v_since double precision[];
  v_blocked uuid[];
  v_next double precision;`,
    body: `${guard("p_alone")}
  -- One look at the front of an index tells whether anything came due.
  if exists (select from ${s}.open_job o where o.state = 1 and o.due_at <= v_now) then
    update ${s}.open_job o set state = 0
    from (
      select o.ctid from ${s}.open_job o where o.state = 1 and o.due_at <= v_now
      order by o.due_at limit greatest(v_left, 500) for update skip locked) d
    where o.ctid = d.ctid;
  end if;
  select o.rank into v_rank from ${s}.open_job o where o.state = 0 order by o.rank limit 1;
  while v_rank is not null and v_left > 0 loop
    v_ranks := v_ranks || v_rank;
    select array_agg(c.ctid), array_agg(c.lease), array_agg(c.since), array_agg(c.job_id) filter (where c.has_blockers)
    into v_rows, v_lease, v_since, v_blocked
    from (
      select c.ctid, c.job_id, c.has_blockers, t.lease, c.since
      from unnest(v_types, v_leases) as t(type_name, lease),
      lateral (
        select o.ctid, o.job_id, o.has_blockers, greatest(o.due_at, o.leased_until) as since
        from ${s}.open_job o
        where o.state = 0 and o.rank = v_rank and o.type_name = t.type_name and o.leased_until <= v_now
        order by o.position limit v_left for update skip locked) c
      limit v_left) c;
    if v_rows is not null then
      return query
      with taken as (
        update ${s}.open_job o set
          leased_by = p_worker, leased_until = v_now + t.lease, started_at = v_now, attempt = o.attempt + 1
        from unnest(v_rows, v_lease, v_since) as t(at, lease, since)
        where o.ctid = t.at
        returning o.job_id, o.attempt, o.has_blockers, t.since)
      select ${factRow({
        kind: "'claimed'",
        job_id: "j.id",
        chain_id: "j.chain_id",
        type_name: "j.type_name",
        step: "j.step",
        priority: "j.priority::integer",
        attempt: "t.attempt",
        at: "j.created_at",
        wait: "v_now - t.since",
        status: "case when t.has_blockers then 'blocked' end",
        body: "j.input",
        extra: "j.errors",
        context: "j.context",
      })}
      from taken t join ${s}.job j on j.id = t.job_id;
      v_left := v_left - cardinality(v_rows);
      if v_blocked is not null then
        return query
        select ${factRow({
          kind: "'blocker'",
          job_id: "b.job_id",
          chain_id: "f.id",
          type_name: "f.type_name",
          at: "f.created_at",
          wait: "e.ended_at",
          body: "f.input",
          extra: "e.output",
        })}
        from ${s}.blocker b
        join ${s}.job f on f.id = b.chain_id
        join ${s}.job e on e.id = f.ended_job_id
        where b.job_id = any(v_blocked)
        order by b.job_id, b.position;
      end if;
    end if;
    if v_left > 0 then
      select o.rank into v_rank from ${s}.open_job o where o.state = 0 and o.rank > v_rank order by o.rank limit 1;
    end if;
  end loop;
  if v_left > 0 then
    select least(
      (select min(d.due_at)
       from unnest(v_types) as t(type_name), lateral (
         select o.due_at from ${s}.open_job o where o.state = 1 and o.type_name = t.type_name order by o.due_at limit 1) d),
      (select min(l.leased_until)
       from unnest(v_ranks) as r(rank), unnest(v_types) as t(type_name), lateral (
         select min(o.leased_until) as leased_until from ${s}.open_job o
         where o.state = 0 and o.rank = r.rank and o.type_name = t.type_name and o.leased_until > v_now) l))
    into v_next;
    if v_next is not null then
      return query select ${factRow({ kind: "'next'", wait: "v_next - v_now" })};
    end if;
  end if;`,
  });
}
