import { spendsNotes } from "../notes/spent.ts";
import { assignOutput, typeOf, type OutputsRead } from "../claim-names.ts";
import { resultColumns, resultRow } from "../result-rows.ts";
import type { Schema } from "../schema.ts";
import { guard, now, outerFunction, seesThePast } from "../sql-function.ts";
import { followMarked } from "../ends/follow-ends.ts";
import { assignIfOwn } from "./end.ts";

/**
 * The outcomes. Arrays of Postgres where a value needs no escape, because JSON takes longer to read. An outcome with errors has
 * failed, the others have completed.
 */
const givenOutcomes = `json_to_record(p_texts::json) as r(output text[], errors text[]),
    lateral unnest(p_numbers::integer[], p_jobs::uuid[], p_fences::integer[], r.output, r.errors)
      as i(n, id, fence, output, errors)`;

/**
 * Rule "settle" and rule "end" for several outcomes of one worker that end their jobs and chains: see `try_settle_ends_v1` and
 * `end_v1`. Most exchanges settle such outcomes only. One statement deletes the open rows and writes the ends, and one row for each
 * claim name reports them: with `settle_v1` a job takes 27 % more instructions in the server.
 */
export function settleManyFunction(schema: Schema, outputs: OutputsRead): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: `settle_many${outputs.suffix}_v1`,
    parameters:
      "p_alone text, p_now text, p_worker text, p_total text, p_numbers text, p_jobs text, p_fences text, p_texts text",
    returns: `table(${resultColumns})`,
    declare: `  v_now double precision := ${now};
  v_sees_the_past boolean := ${seesThePast};
  v_n integer[];
  v_job uuid[];
  v_chain uuid[];
  v_name text[];
  v_status smallint[];
  v_limited uuid[];
  v_marked uuid[];
  v_keys text[];
  v_holders uuid[];
  v_awaited uuid[];
  v_completed uuid[];
  v_completed_n integer[];
  v_broken uuid[];
  v_broken_n integer[];`,
    body: `${guard}
${deleteEndedOpenRows(s)}
${writeChains(s, outputs)}
${writeSteps(s, outputs)}
${countTypes(schema)}
${noteChains}
  if v_limited is not null then
    perform ${s}.give_back_v1(v_limited);
  end if;
  if v_n is not null then
${returnEnded}
    if 2 = any(v_status) then
      perform ${s}.note_stopped_v1(v_now, v_job, v_chain, v_status);
    end if;
${freeEndedKeys(s)}
    if v_marked is not null then
${followMarked(s, "v_now")}
    end if;
${releaseAfterEnds(s)}
  end if;
${returnLostOutcomes(s)}`,
  });
}

/** The first part of one statement, which ends with {@link noteChains}. */
function deleteEndedOpenRows(s: string): string {
  return `  with outcomes as (
    select i.*, case when i.errors is null then 1 else 2 end::smallint as status
    from ${givenOutcomes} order by i.id, i.n),
  gone as (
    delete from ${s}.open_job o using outcomes i
    where o.job_id = any(array[i.id]) and o.leased_by = p_worker and o.fence = i.fence
    returning i.n, o.job_id, o.chain_id, o.type_name as claim_name, o.attempt, o.fence, o.started_at, i.status, i.output, i.errors, o.lane, o.on_end, ${spendsNotes(s)}),`;
}

/** Writes the rows of chains, in the order of their ids: see `end_v1`. They are the jobs' own rows unless the chains have steps. */
function writeChains(s: string, outputs: OutputsRead): string {
  return `  chain_rows as (
    update ${s}.job j set
${assignIfOwn("g", {
  status: "g.status",
  ...outputs.columns("g.output"),
  errors: "coalesce(g.errors, j.errors)",
  attempt: "g.attempt",
  fence: "g.fence",
  started_at: "g.started_at",
  ended_at: "v_now",
  ended_by: "p_worker",
})}
      chain_status = g.status,
      ended_job_id = g.job_id
    from (select * from gone order by chain_id) g
    where j.id = any(array[g.chain_id])
    returning j.id, j.key, j.key_scope, j.awaited or j.signals is not null as awaited),`;
}

function writeSteps(s: string, outputs: OutputsRead): string {
  return `  step_rows as (
    update ${s}.job j set
      status = g.status, ${assignOutput(outputs, "g.output")}, errors = coalesce(g.errors, j.errors), attempt = g.attempt, fence = g.fence,
      started_at = g.started_at, ended_at = v_now, ended_by = p_worker
    from (select * from gone where job_id <> chain_id order by job_id) g
    where j.id = any(array[g.job_id])),`;
}

function countTypes({ quoted: s, positions }: Schema): string {
  return `  counted as (
    insert into ${s}.tally_change (n, type_name, status, count)
    select nextval(${positions}), ${typeOf("e.claim_name")}, e.status, e.count
    from (select claim_name, status, count(*) as count from gone group by claim_name, status) e),`;
}

const noteChains = `  ended as (
    select array_agg(n) as n, array_agg(job_id) as jobs, array_agg(chain_id) as chains, array_agg(claim_name) as names,
      array_agg(status) as statuses, array_agg(job_id) filter (where lane is not null) as limited,
      array_agg(job_id) filter (where on_end) as marked
    from gone),
  noted as (
    select array_agg(key) filter (where key_scope = 0) as keys, array_agg(id) filter (where key_scope = 0) as holders,
      array_agg(id) filter (where awaited) as awaited
    from chain_rows)
  select e.n, e.jobs, e.chains, e.names, e.statuses, e.limited, e.marked, c.keys, c.holders, c.awaited
  into v_n, v_job, v_chain, v_name, v_status, v_limited, v_marked, v_keys, v_holders, v_awaited
  from ended e, noted c;`;

const returnEnded = `    return query
    select ${resultRow("ended", {
      numbers: "array_to_json(array_agg(e.n))::text",
      chainIds: "case when bool_or(e.chain_id <> e.job_id) then array_to_json(array_agg(e.chain_id))::text end",
      typeName: "e.claim_name",
      settledAt: "v_now",
    })}
    from unnest(v_n, v_job, v_chain, v_name) as e(n, job_id, chain_id, claim_name) group by e.claim_name;`;

function freeEndedKeys(s: string): string {
  return `    if v_keys is not null then
      delete from ${s}.deduplication d using unnest(v_keys, v_holders) as h(key, chain_id)
      where d.key = any(array[h.key]) and d.chain_id = h.chain_id;
    end if;`;
}

function releaseAfterEnds(s: string): string {
  return `    -- A statement of its own, because jobs that wait for these chains are all visible only after the chains' rows are locked.
    select
      array_agg(e.id) filter (where e.status = 1), array_agg(e.n) filter (where e.status = 1),
      array_agg(e.id) filter (where e.status = 2), array_agg(e.n) filter (where e.status = 2)
    into v_completed, v_completed_n, v_broken, v_broken_n
    from unnest(v_n, v_chain, v_status) as e(n, id, status)
    where v_sees_the_past or e.id = any(v_awaited) or (select true from ${s}.blocker b where b.chain_id = e.id limit 1);
    if v_completed is not null or v_broken is not null then
      return query select * from ${s}.release_v1(v_now, v_completed, v_completed_n, v_broken, v_broken_n);
    end if;`;
}

function returnLostOutcomes(s: string): string {
  return `  if coalesce(cardinality(v_n), 0) < p_total::integer then
    return query
    select ${resultRow("lost", { n: "i.n", reason: "l.reason" })}
    from ${givenOutcomes}, ${s}.lost_reason_v1(i.id) as l(reason)
    where i.n <> all(coalesce(v_n, '{}'));
    return query
    select f.* from (
      select array_agg(i.n) as n, array_agg(i.id) as jobs, array_agg(i.fence) as fences
      from unnest(p_numbers::integer[], p_jobs::uuid[], p_fences::integer[]) as i(n, id, fence)
      where i.n <> all(coalesce(v_n, '{}'))) i,
      lateral ${s}.begin_followers_v1(v_now, i.n, i.jobs, i.fences) f;
  end if;`;
}
