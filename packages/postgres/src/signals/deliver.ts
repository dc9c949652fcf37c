import { typeOf } from "../claim-names.ts";
import { resultColumns, resultRow } from "../result-rows.ts";
import type { Schema } from "../schema.ts";
import { innerFunction, refusalState, seesThePast } from "../sql-function.ts";
import { mostBufferedSignals } from "chainwright/adapter";
import { given, handOut, lastJob, waitersOf } from "./hand-out.ts";

/** SQLSTATE with which a call begins again, because a chain went on before it was locked. The savepoint gives its locks back. */
export const overtakenState = "CW004";

/**
 * Rule "deliver": hands signals, in this JSON, to chains and topics, in the order of their numbers, which begin at 0. All or nothing.
 *
 * The rows of jobs that wait are locked first, then the first rows of chains, as calls that end jobs do it. A job that does not wait is
 * not locked: its worker is renewed and settles, unless its chain ends or begins to wait. If a chain begins to wait before its first row
 * is locked, the job is locked after that row; where another call has locked it, this one begins again.
 *
 * Signals without a chain and a topic are left out. `p_started`: the chains are those that hold the keys of starts, and a call whose chain has ended begins again.
 */
export function deliverFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "deliver_v1",
    parameters: "p_now double precision, p_items json, p_started boolean",
    returns: `table(${resultColumns})`,
    declare: declarations,
    body: `${readItems}
${lockTopics(s)}
${lockWaitingJobs(s)}
${lockFirstRows(s)}
${refuseChains}
${lockNewWaits(s)}
${handOut(s)}
${refuseFullChains(s)}
${writeSignals(s)}
${writeJobs(s)}
${returnReplies(s)}`,
  });
}

const declarations = `  v_n integer[];
  v_chain uuid[];
  v_topic text[];
  v_type text[];
  v_name text[];
  v_payload text[];
  v_id text[];
  v_context text[];
  v_keep double precision[];
  v_jobs uuid[] := '{}';
  -- By topic and job that waits for it.
  v_waiter_topic text[];
  v_waiter uuid[];
  v_locked uuid[];
  v_others uuid[];
  v_chains uuid[];
  v_status smallint[];
  v_bad record;
  v_each record;
  v_now_at uuid;
  v_position bigint;
  v_received text[];
  v_names text[];
  v_waits boolean;
  v_took boolean := false;
  v_new_at integer[] := '{}';
  v_new_chain uuid[] := '{}';
  v_new_position bigint[] := '{}';
  v_new_by uuid[] := '{}';
  v_delivered text[];
  v_reached integer[];
  v_took_job uuid[] := '{}';
  v_took_text text[] := '{}';
  v_woken_n integer[] := '{}';
  v_woken uuid[] := '{}';
  v_last_job uuid;`;

const readItems = `  select array_agg(i.n order by i.n), array_agg(i.chain order by i.n), array_agg(i.topic order by i.n), array_agg(i.type order by i.n),
    array_agg(i.name order by i.n), array_agg(i.payload order by i.n), array_agg(i.id order by i.n), array_agg(i.context order by i.n),
    array_agg(i.keep order by i.n)
  into v_n, v_chain, v_topic, v_type, v_name, v_payload, v_id, v_context, v_keep
  from json_to_recordset(p_items) as i(n integer, chain uuid, topic text, type text, name text, payload text, id text, context text,
    keep double precision);
  v_delivered := array_fill('taken'::text, array[cardinality(v_n)]);
  v_reached := array_fill(0, array[cardinality(v_n)]);`;

/** Locks the topics, keeps what is published, and finds the jobs that wait for it. */
function lockTopics(s: string): string {
  return `  if array_remove(v_topic, null) <> '{}' then
    perform ${s}.lock_topics_v1(array_remove(v_topic, null), true, false);
    insert into ${s}.publication (topic, type_name, name, payload, signal_id, context, at, until)
    select i.topic, i.type, i.name, i.payload, i.id, i.context, p_now, p_now + v_keep[i.n + 1]
    from ${given} where i.topic is not null and v_keep[i.n + 1] > 0 order by i.n;
    select array_agg(t.topic), array_agg(t.job_id) into v_waiter_topic, v_waiter
    from (select distinct i.topic from unnest(v_topic) as i(topic)) i cross join lateral (${waitersOf(s)}) t;
    v_jobs := array(select distinct w.id from unnest(v_waiter) as w(id));
  end if;`;
}

/**
 * In a transaction that sees the past also the others: that fails with a conflict where the chain has gone on. A job waits for the same
 * topics as long as it waits, so what was found before the lock is true of those that still wait.
 */
function lockWaitingJobs(s: string): string {
  return `  v_chains := array(select distinct i.id from unnest(v_chain) as i(id) where i.id is not null);
  v_jobs := v_jobs || array(select ${lastJob(s, "i.id")} from unnest(v_chains) as i(id));
  v_locked := array(
    select o.job_id from ${s}.open_job o where o.job_id = any(v_jobs) and (o.waits or ${seesThePast})
    order by o.chain_id for update);
  select array_agg(w.topic), array_agg(w.job_id) into v_waiter_topic, v_waiter
  from unnest(v_waiter_topic, v_waiter) as w(topic, job_id) where w.job_id = any(v_locked);`;
}

function lockFirstRows(s: string): string {
  return `  v_chains := v_chains || array(
    select o.chain_id from ${s}.open_job o where o.job_id = any(v_locked) and o.chain_id <> all(v_chains));
  select coalesce(array_agg(f.id), '{}'), array_agg(f.chain_status) into v_chains, v_status
  from (
    select f.id, f.chain_status from ${s}.job f where f.id = any(v_chains) and f.chain_status is not null
    order by f.id for no key update) f;`;
}

const refuseChains = `  select i.n, i.chain as id, i.status into v_bad
  from (
    select i.n, i.chain, v_status[array_position(v_chains, i.chain)] as status from unnest(v_n, v_chain) as i(n, chain)
    where i.chain is not null) i
  where i.status is distinct from 0 order by i.n limit 1;
  if found then
    if p_started then
      raise exception 'overtaken' using errcode = '${overtakenState}';
    end if;
    raise exception 'refused' using errcode = '${refusalState}', detail = json_build_object('signal', v_bad.n, 'id', v_bad.id,
      'code', case when v_bad.status is null then 'chain-not-found' else 'chain-not-active' end,
      'actual', (array['completed', 'failed', 'cancelled'])[v_bad.status])::text;
  end if;`;

/** Locks the jobs that have begun to wait since the first look. They cannot end before their chains' rows are free. */
function lockNewWaits(s: string): string {
  return `  v_others := array(
    select o.job_id
    from (select distinct i.id from unnest(v_chain) as i(id) where i.id is not null) c
    join ${s}.open_job o on o.job_id = any(array[${lastJob(s, "c.id")}])
    where o.waits and o.job_id <> all(v_locked));
  if v_others <> '{}' then
    v_locked := v_locked || array(
      select o.job_id from ${s}.open_job o where o.job_id = any(v_others) and o.waits order by o.chain_id for update skip locked);
    if not v_others <@ v_locked then
      raise exception 'overtaken' using errcode = '${overtakenState}';
    end if;
  end if;`;
}

function refuseFullChains(s: string): string {
  return `  if 'buffered' = any(v_delivered) then
    select b.n, b.chain_id as id into v_bad
    from (
      select c.chain_id, count(*) as more, min(c.n) as n from unnest(v_new_chain, v_new_by, v_new_at) as c(chain_id, taken_by, n)
      where c.taken_by is null group by c.chain_id) b
    where b.more + (
      select count(*) from (
        select from ${s}.signal g where g.chain_id = b.chain_id and g.taken_by is null limit ${mostBufferedSignals}) g) > ${mostBufferedSignals}
    order by b.n limit 1;
    if found then
      raise exception 'refused' using errcode = '${refusalState}',
        detail = json_build_object('signal', v_bad.n, 'code', 'too-many-signals', 'id', v_bad.id)::text;
    end if;
  end if;`;
}

/**
 * The first rows are written where a signal stays for a later wait, so that a transaction which sees the past cannot begin to wait beside
 * it: it fails with a conflict.
 */
function writeSignals(s: string): string {
  return `  if v_new_at <> '{}' then
    insert into ${s}.signal (chain_id, position, type_name, name, payload, signal_id, context, at, taken_by)
    select c.chain_id, c.position, v_type[c.n + 1], v_name[c.n + 1], v_payload[c.n + 1], v_id[c.n + 1], v_context[c.n + 1], p_now, c.taken_by
    from unnest(v_new_at, v_new_chain, v_new_position, v_new_by) as c(n, chain_id, position, taken_by)
    order by c.chain_id, c.position;
    update ${s}.job f set signals = true
    from (
      select c.chain_id, bool_or(c.taken_by is null) as is_left from unnest(v_new_chain, v_new_by) as c(chain_id, taken_by)
      group by c.chain_id) c
    where f.id = any(array[c.chain_id]) and (f.signals is null or c.is_left);
  end if;`;
}

/** Jobs whose wait is over are due now. A claim finds them by that, of whichever process, also at a position that claims have passed. */
function writeJobs(s: string): string {
  return `  if v_took_job <> '{}' then
    update ${s}.job j set received = t.received
    from unnest(v_took_job, v_took_text) as t(id, received) where j.id = any(array[t.id]);
  end if;
  if v_woken <> '{}' then
    update ${s}.open_job o set waits = false, state = 1, due_at = p_now where o.job_id = any(v_woken);
    delete from ${s}.topic t where t.job_id = any(v_woken);
  end if;`;
}

const returnReplies = (s: string) => `  return query
  select ${resultRow("signalled", {
    n: "i.n",
    delivered: "i.delivered",
    reached: "case when i.topic is not null then i.reached end",
  })}
  from unnest(v_n, v_chain, v_topic, v_delivered, v_reached) as i(n, chain, topic, delivered, reached)
  where i.chain is not null or i.topic is not null;
  if v_woken <> '{}' then
    return query
    select ${resultRow("woken", {
      n: "w.n",
      jobId: "o.job_id",
      chainId: "o.chain_id",
      typeName: typeOf("o.type_name"),
      claimName: "o.type_name::text",
    })}
    from unnest(v_woken_n, v_woken) as w(n, id) join ${s}.open_job o on o.job_id = any(array[w.id]);
  end if;`;
