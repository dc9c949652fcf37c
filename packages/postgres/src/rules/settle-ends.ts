import { spendsNotes } from "../notes/spent.ts";
import { poolOf, typeOf, versionOf } from "../claim-names.ts";
import { leavesLane } from "../limits/give-back.ts";
import { beginWaits, leavesTopics } from "../signals/begin-waits.ts";
import type { Schema } from "../schema.ts";
import { dueOf, givenStarts, writtenStatus } from "./begin.ts";
import { resultColumns, resultRow } from "../result-rows.ts";
import { followMarked } from "../ends/follow-ends.ts";
import { ownPosition } from "../ends/tables.ts";
import { closeGate, gateDeclarations, passGates } from "./gates.ts";
import { innerFunction, refusalState } from "../sql-function.ts";
import { givenBlockers } from "./block.ts";

/**
 * An outcome that ends a job, as a record of the parameter `p_ended`. Without `worker` the job is locked already and needs no
 * fence. `next` is the id of the continuation, `type` its claim name. The fields after it describe the continuation, unless that has blockers: then it is
 * one of `p_starts`. `compensation` is what undoes the job, if that is handed in with the continuation.
 */
const endedRecord = `n integer, id uuid, worker text, fence integer, status smallint, output text, errors text, next uuid,
  type text, input text, priority smallint, at double precision, after double precision, wait smallint, context text, compensation text`;

/** The outcomes of the parameter `p_ended` as rows. */
const givenEnds = `json_to_recordset(p_ended) as i(${endedRecord})`;

/**
 * Settles outcomes that end a job: deletes the open rows of those whose fence holds, writes the continuations, ends the jobs
 * (`end_v1`), and does what follows from the ends of chains (`release_v1`). Continuations with blockers begin and are blocked like
 * starts. `p_skip` are outcomes that were refused before. A refusal is raised as an error, and a taken id is a unique violation.
 */
export function trySettleEndsFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "try_settle_ends_v1",
    parameters:
      "p_now double precision, p_ended json, p_total integer, p_starts jsonb, p_blockers jsonb, p_skip integer[]",
    returns: `table(${resultColumns})`,
    declare: declarations,
    body: `${deleteOpenRows(schema)}
  if v_n is not null then
    if p_starts is not null then
${noteOwnChains}
${lockChains(s)}
    elsif cardinality(v_n) = 1 and v_next[1] is null then
      perform ${closeGate("v_chain[1]")};
    end if;
${recordCompensations(s)}
${endJobs(s)}
    if v_marked is not null then
${followMarked(s, "p_now", "array[v_until]")}
    end if;
${releaseWaitingJobs(s)}
    if p_starts is not null then
${startContinuations(s)}
    end if;
  end if;
${reportLost(s)}`,
  });
}

const declarations = `  v_n integer[];
  v_job uuid[];
  v_chain uuid[];
  v_type text[];
  v_status smallint[];
  v_next uuid[];
  v_output text[];
  v_errors text[];
  v_attempt integer[];
  v_fence integer[];
  v_started double precision[];
  v_by text[];
  v_step integer[];
  v_marked uuid[];
  v_until double precision;
  v_completed uuid[];
  v_completed_n integer[];
  v_broken uuid[];
  v_broken_n integer[];
  v_own uuid[];
  v_own_step integer[];
  v_first record;
  v_calls integer[];
  v_blockers uuid[];
${gateDeclarations}
  v_idle integer[];
  v_live boolean[];
  v_chains uuid[];`;

/** Deletes the open rows of the outcomes whose fence holds, and writes the continuations that have no blockers. */
function deleteOpenRows({ quoted: s, positions }: Schema): string {
  return `  with outcomes as (
    select * from ${givenEnds} where i.n <> all(p_skip) order by i.id, i.n),
  gone as (
    delete from ${s}.open_job o using outcomes i
    where o.job_id = any(array[i.id]) and (i.worker is null or (o.leased_by = i.worker and o.fence = i.fence))
    returning o.chain_id, o.step, ${typeOf("o.type_name")} as type_name, o.attempt, o.fence, o.leased_until,
      case when i.compensation is null then o.on_end else true end as on_end,
      case when i.worker is not null then o.started_at end as started_at, i.n, i.id, i.worker, i.status, i.output, i.errors, i.next,
      i.type as next_type, i.input as next_input, i.priority as next_priority, i.at, i.after, i.wait, i.context as next_context, ${leavesLane(s)}, ${leavesTopics(s)}, ${spendsNotes(s)}),
  nexts as materialized (
    select g.*, nextval(${positions}) as position, ${dueOf("g", "p_now")} as due_at
    from (select * from gone where next_type is not null order by n) g),
  next_jobs as (
    insert into ${s}.job (id, chain_id, step, type_name, priority, on_blocker_failure, status, attempt, position, created_at,
      input, context, version, pool)
    select g.next, g.chain_id, g.step + 1, ${typeOf("g.next_type")}, g.next_priority, coalesce(g.wait, 0), 0, 0, g.position, p_now,
      g.next_input, g.next_context, ${versionOf("g.next_type")}, ${poolOf("g.next_type")}
    from nexts g),
  next_open_jobs as (
    insert into ${s}.open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, blockers_left, state, rank,
      has_blockers, type_name, on_end)
    select g.next, g.chain_id, g.position, g.due_at, 0, g.step + 1, 0, 0, case when g.due_at > p_now then 1 else 0 end,
      ~g.next_priority, false, g.next_type, g.on_end
    from nexts g)
  select array_agg(g.n), array_agg(g.id), array_agg(g.chain_id), array_agg(g.type_name), array_agg(g.status),
    array_agg(g.next), array_agg(g.output), array_agg(g.errors), array_agg(g.attempt), array_agg(g.fence),
    array_agg(g.started_at), array_agg(g.worker), array_agg(g.step), array_agg(g.id) filter (where g.on_end),
    max(g.leased_until) filter (where g.worker is null)
  into v_n, v_job, v_chain, v_type, v_status, v_next, v_output, v_errors, v_attempt, v_fence, v_started, v_by, v_step, v_marked, v_until
  from gone g;`;
}

/** Notes which chain each outcome continues, for `begin_v1` and `block_v1`. */
const noteOwnChains = `      for i in 1 .. cardinality(v_n) loop
        v_own[v_n[i] + 1] := v_chain[i];
        v_own_step[v_n[i] + 1] := v_step[i];
      end loop;`;

/** Without a worker there is one outcome: `v_until` is the end of the lease that it interrupts. */
function recordCompensations(s: string): string {
  return `    if v_marked is not null then
      insert into ${s}.compensation (chain_id, step, position, body)
      select e.chain_id, e.step, ${ownPosition}, i.compensation
      from unnest(v_n, v_job, v_chain, v_step) as e(n, job_id, chain_id, step) join ${givenEnds} on i.n = e.n
      where e.job_id = any(v_marked) and i.compensation is not null
      on conflict (chain_id, step, position) do update set body = excluded.body;
    end if;`;
}

function lockChains(s: string): string {
  return `      -- Lock the first rows of the outcomes' own chains and of the blockers together, in the order of their ids: see end_v1. Those
      -- of blockers are shared: see block_v1.
      v_calls := array(select i.call from ${givenStarts});
      v_blockers := array(
        select distinct l.chain
        from ${givenBlockers} join ${givenStarts} on i.n = l.job
        where l.chain is not null and i.call = any(v_n));
${passGates("v_blockers")}
      for v_first in
        select c.id, bool_or(c.own) as own
        from (
          -- A continuation that is written like the others below needs no lock of its chain.
          select e.chain_id as id, true as own from unnest(v_n, v_job, v_chain, v_next) as e(n, job_id, chain_id, next_id)
          where e.job_id = e.chain_id or e.next_id is null or e.n = any(v_calls)
          union all select unnest(v_blockers), false) c
        group by c.id order by c.id
      loop
        if v_first.own then
          perform from ${s}.job j where j.id = v_first.id for no key update;
        else
          perform from ${s}.job j where j.id = v_first.id for share;
        end if;
      end loop;`;
}

function endJobs(s: string): string {
  return `    select c.completed, c.completed_n, c.broken, c.broken_n into v_completed, v_completed_n, v_broken, v_broken_n
    from ${s}.end_v1(p_now, v_n, v_job, v_chain, v_type, v_status, v_next, v_output, v_errors, v_attempt, v_fence,
      v_started, v_by, null, null) c;
    return query
    select ${resultRow("settled", {
      n: "e.n",
      jobId: "e.job_id",
      chainId: "e.chain_id",
      typeName: "e.type_name",
      settledAt: "p_now",
    })}
    from unnest(v_n, v_job, v_chain, v_type) as e(n, job_id, chain_id, type_name);`;
}

function releaseWaitingJobs(s: string): string {
  return `    if v_completed is not null or v_broken is not null then
      return query select * from ${s}.release_v1(p_now, v_completed, v_completed_n, v_broken, v_broken_n);
    end if;`;
}

/** Begins the continuations that have blockers, are under limits or wait for signals. */
function startContinuations(s: string): string {
  return `      v_idle := array(select distinct i.call from ${givenStarts} where i.call <> all(v_n));
      select b.live, b.chains into v_live, v_chains from ${s}.begin_v1(p_now, p_starts, v_idle, v_own, v_own_step) b;
      if v_marked is not null then
        update ${s}.open_job o set on_end = true
        where o.job_id = any(array(select e.next_id from unnest(v_job, v_next) as e(job_id, next_id) where e.job_id = any(v_marked)));
      end if;
      return query select * from ${s}.block_v1(p_now, p_starts, p_blockers, v_live, v_chains, v_own);
${beginWaits(s, "p_starts", "p_now, p_starts, v_live")}
      return query
      select ${resultRow("started", {
        n: "i.call",
        jobId: "j.id",
        chainId: "j.chain_id",
        typeName: "j.type_name",
        status: writtenStatus("p_now"),
        dueInMs: "o.due_at - p_now",
        claimName: "o.type_name::text",
      })}
      from ${givenStarts}
      join ${s}.job j on j.id = any(array[i.id])
      left join ${s}.open_job o on o.job_id = any(array[j.id])
      where v_live[i.n + 1]
      order by i.n;`;
}

function reportLost(s: string): string {
  return `  if coalesce(cardinality(v_n), 0) < p_total - cardinality(p_skip) then
    return query
    select ${resultRow("lost", { n: "i.n", reason: "l.reason" })}
    from ${givenEnds}, ${s}.lost_reason_v1(i.id) as l(reason)
    where i.n <> all(coalesce(v_n, '{}')) and i.n <> all(p_skip);
    return query
    select f.* from (
      select array_agg(i.n) as n, array_agg(i.id) as jobs, array_agg(i.fence) as fences
      from ${givenEnds} where i.n <> all(coalesce(v_n, '{}')) and i.n <> all(p_skip)) i,
      lateral ${s}.begin_followers_v1(p_now, i.n, i.jobs, i.fences) f;
  end if;`;
}

/**
 * Settles outcomes that end a job, without those that are refused: each refusal rolls back to the savepoint, and the rest is
 * tried again.
 */
export function settleEndsFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "settle_ends_v1",
    parameters: "p_now double precision, p_ended json, p_total integer, p_starts jsonb, p_blockers jsonb",
    returns: `table(${resultColumns})`,
    declare: `  v_skip integer[] := '{}';
  v_refusal json;
  v_taken record;`,
    body: `  loop
    begin
      return query select * from ${s}.try_settle_ends_v1(p_now, p_ended, p_total, p_starts, p_blockers, v_skip);
      exit;
    exception
      when sqlstate '${refusalState}' then
        get stacked diagnostics v_refusal = pg_exception_detail;
      when unique_violation then
        select i.n, i.next into v_taken
        from (
          select i.*, row_number() over (partition by i.next order by i.n) as nth
          from ${givenEnds} where i.n <> all(v_skip) and i.type is not null) i
        where i.nth > 1 or exists (select from ${s}.job j where j.id = any(array[i.next]))
        order by i.n limit 1;
        if not found then
          raise;
        end if;
        v_refusal := json_build_object('n', v_taken.n, 'code', 'duplicate-id', 'id', v_taken.next);
    end;
    v_skip := v_skip || (v_refusal->>'n')::integer;
    return query select ${resultRow("refused", { n: "(v_refusal->>'n')::integer", refusal: "v_refusal::text" })};
  end loop;`,
  });
}
