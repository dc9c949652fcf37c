import { typeOf } from "../claim-names.ts";
import type { Schema } from "../schema.ts";
import { innerFunction } from "../sql-function.ts";
import { receivedOf, receivedSignal } from "./received.ts";

/** Begins the waits of starts, if there are any. */
export const beginWaits = (s: string, starts: string, parameters: string) => `      if ${starts} @? '$[*].waits' then
        perform ${s}.begin_waits_v1(${parameters});
      end if;`;

/**
 * Begins the waits of starts that `begin_v1` has just written as waiting, in the order of writing. With the offset the planner can only look
 * the jobs up: if its statistics are of a moment with few open jobs, it would read all of them.
 */
export function beginWaitsFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "begin_waits_v1",
    parameters: "p_now double precision, p_starts jsonb, p_live boolean[]",
    returns: "void",
    declare: "",
    body: `  perform ${s}.begin_wait_v1(p_now, o.job_id)
  from (
    select i.id from jsonb_to_recordset(p_starts) as i(n integer, w integer, id uuid, waits jsonb)
    where i.waits is not null and p_live[i.n + 1] order by i.w) i
  cross join lateral (select o.job_id from ${s}.open_job o where o.job_id = i.id offset 0) o;`,
  });
}

/**
 * Rule "beginWait": a job that was just written as waiting takes the signals that its chain has for it, and those that its topics keep.
 * Its wait may be over by that. The topics are locked, and the chain's first row is, unless the chain begins with the job.
 */
export function beginWaitFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "begin_wait_v1",
    parameters: "p_now double precision, p_job uuid",
    returns: "void",
    declare: `  v_job record;
  v_type text;
  v_signal record;
  v_received text[];
  v_names text[];
  v_taken bigint[] := '{}';
  v_is_over boolean;`,
    body: `  select o.chain_id, o.type_name, o.due_at, o.state, j.waits::json as waits, j.received::json as received into v_job
  from ${s}.open_job o join ${s}.job j on j.id = any(array[o.job_id]) where o.job_id = p_job;
  v_type := ${typeOf("v_job.type_name")};
${subscribe(s)}
${takeSignals(s)}
${endWait(s)}`,
  });
}

function subscribe(s: string): string {
  return `  if v_job.waits->'topics' is not null then
    insert into ${s}.topic (topic, job_id)
    select t.topic, p_job from json_array_elements_text(v_job.waits->'topics') as t(topic)
    on conflict do nothing;
    with stored as (
      insert into ${s}.signal (chain_id, position, type_name, name, payload, signal_id, context, at)
      select v_job.chain_id, ${lastPosition(s, "v_job.chain_id")} + row_number() over (order by p.position),
        p.type_name, p.name, p.payload, p.signal_id, p.context, p.at
      from ${s}.publication p
      where p.topic = any(array(select json_array_elements_text(v_job.waits->'topics'))) and p.type_name = v_type and p.until + 0 > p_now
      on conflict (chain_id, signal_id) where signal_id is not null do nothing
      returning 1)
    update ${s}.job f set signals = true where f.id = v_job.chain_id and exists (select from stored);
  end if;`;
}

/** SQL for the position of a chain's last signal. The chain's first row is locked. */
export const lastPosition = (s: string, chain: string) =>
  `coalesce((select g.position from ${s}.signal g where g.chain_id = ${chain} order by g.position desc limit 1), 0)`;

/** Takes them one after the other, until one ends the wait. */
function takeSignals(s: string): string {
  const signal = {
    name: "v_signal.name",
    payload: "v_signal.payload",
    at: "v_signal.at",
    id: "v_signal.signal_id",
    context: "v_signal.context",
  };
  return `  select array_agg(r.signal::text order by r.n), array_agg(r.signal->>'signal' order by r.n) into v_received, v_names
  from json_array_elements(v_job.received) with ordinality as r(signal, n);
  v_is_over := ${s}.ends_wait_v1(v_job.waits, v_names);
  if not v_is_over then
    for v_signal in
      select g.* from ${s}.signal g
      where g.chain_id = v_job.chain_id and g.type_name = v_type and g.taken_by is null order by g.position
    loop
      v_received := v_received || ${receivedSignal(signal)};
      v_names := v_names || v_signal.name;
      v_taken := v_taken || v_signal.position;
      v_is_over := ${s}.ends_wait_v1(v_job.waits, v_names);
      exit when v_is_over;
    end loop;
  end if;
  if v_taken <> '{}' then
    update ${s}.signal g set taken_by = p_job where g.chain_id = v_job.chain_id and g.position = any(v_taken);
    update ${s}.job j set received = ${receivedOf("v_received")} where j.id = p_job;
  end if;`;
}

function endWait(s: string): string {
  return `  if v_is_over or v_job.state = 1 and v_job.due_at <= p_now then
    update ${s}.open_job o set waits = false, state = case when o.lane is null then 0 else 1 end, due_at = p_now
    where o.job_id = p_job;
    perform ${s}.leave_topics_v1(p_job);
  end if;`;
}

/** A job waits for topics no more. */
export function leaveTopicsFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "leave_topics_v1",
    parameters: "p_job uuid",
    returns: "void",
    declare: "",
    body: `  delete from ${s}.topic t where t.job_id = p_job;`,
  });
}

/** An expression for `returning` of a statement that deletes a row `o` of `open_job`. */
export const leavesTopics = (s: string) => `case when o.waits then ${s}.leave_topics_v1(o.job_id) end`;
