import { typeOf } from "../claim-names.ts";
import { lastPosition } from "./begin-waits.ts";
import { receivedOf, receivedSignal } from "./received.ts";

/*
 * The part of `deliver_v1` that decides which signal is taken, stays, or is known already. It writes nothing.
 */

/** Signals as rows: `keep` and `topic` are null of a signal for a chain. */
export const given = `unnest(v_n, v_chain, v_topic, v_type, v_name, v_payload, v_id, v_context)
    as i(n, chain, topic, type, name, payload, id, context)`;

/** SQL for the last job of a chain. */
export const lastJob = (s: string, chain: string) => `coalesce(
      (select j.id from ${s}.job j where j.chain_id = ${chain} and j.step > 1 order by j.step desc limit 1), ${chain})`;

/** The signals with the chains that they go to, and with the open job of each that waits: those of a topic once for each job that waits for it. */
const sentTo = (s: string) => `
      select i.*, i.chain as chain_id, w.job_id, w.type_name, w.waits, w.received
      from ${given} left join lateral (
        ${waiting(s)} o.job_id = any(v_locked) and o.job_id = any(array[${lastJob(s, "i.chain")}])) w on true
      where i.chain is not null
      union all
      select i.*, w.chain_id, w.job_id, w.type_name, w.waits, w.received
      from ${given} join unnest(v_waiter_topic, v_waiter) as t(topic, job_id) on t.topic = i.topic cross join lateral (
        ${waiting(s)} o.job_id = any(array[t.job_id])) w
      where w.type_name = i.type`;

/**
 * The jobs that wait for the topic `i.topic`. With the offset the planner can only look it up, and not read all topics. It is read once for
 * each topic, because the entries of jobs that do not wait any more may be there still.
 */
export const waitersOf = (s: string) => `select t.topic, t.job_id from ${s}.topic t where t.topic = i.topic offset 0`;

const waiting = (
  s: string,
) => `select o.job_id, o.chain_id, ${typeOf("o.type_name")} as type_name, j.waits::json as waits, j.received::json as received
        from ${s}.open_job o join ${s}.job j on j.id = any(array[o.job_id])
        where o.waits and`;

/** Goes through the signals of each chain in their order. `v_waits`: whether the chain's open job waits. */
export function handOut(s: string): string {
  const signal = {
    name: "v_each.name",
    payload: "v_each.payload",
    at: "p_now",
    id: "v_each.id",
    context: "v_each.context",
  };
  return `  for v_each in
    select e.*, e.id is not null and (
      row_number() over (partition by e.chain_id, e.id order by e.n) > 1
      or exists (select from ${s}.signal g where g.chain_id = e.chain_id and g.signal_id = e.id)) as is_known
    from (${sentTo(s)}) e
    order by e.chain_id, e.n
  loop
    if v_now_at is distinct from v_each.chain_id then
${noteTaken}
      v_now_at := v_each.chain_id;
      v_last_job := v_each.job_id;
      v_waits := v_each.job_id is not null;
      v_position := ${lastPosition(s, "v_now_at")};
      select array_agg(r.signal::text order by r.n), array_agg(r.signal->>'signal' order by r.n) into v_received, v_names
      from json_array_elements(v_each.received) with ordinality as r(signal, n);
    end if;
    -- A publication reaches jobs that wait only.
    continue when v_each.topic is not null and (v_each.is_known or not v_waits);
    if v_each.is_known then
      v_delivered[v_each.n + 1] := 'deduplicated';
      continue;
    end if;
    v_position := v_position + 1;
    v_new_at := v_new_at || v_each.n;
    v_new_chain := v_new_chain || v_now_at;
    v_new_position := v_new_position || v_position;
    if v_waits and v_each.type = v_each.type_name then
      v_new_by := v_new_by || v_each.job_id;
      v_reached[v_each.n + 1] := v_reached[v_each.n + 1] + 1;
      v_received := v_received || ${receivedSignal(signal)};
      v_names := v_names || v_each.name;
      v_took := true;
      if ${s}.ends_wait_v1(v_each.waits, v_names) then
        v_waits := false;
        v_woken_n := v_woken_n || v_each.n;
        v_woken := v_woken || v_each.job_id;
      end if;
    else
      v_new_by := array_append(v_new_by, null);
      v_delivered[v_each.n + 1] := 'buffered';
    end if;
  end loop;
${noteTaken}`;
}

/** Notes what the last chain's job has taken. */
const noteTaken = `      if v_took then
        v_took_job := v_took_job || v_last_job;
        v_took_text := v_took_text || (${receivedOf("v_received")});
        v_took := false;
      end if;`;
