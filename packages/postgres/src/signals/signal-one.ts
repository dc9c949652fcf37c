import { typeOf } from "../claim-names.ts";
import { resultColumns, returnRow } from "../result-rows.ts";
import type { Schema } from "../schema.ts";
import { guard, now, outerFunction, seesThePast } from "../sql-function.ts";
import { lastPosition } from "./begin-waits.ts";
import { lastJob } from "./hand-out.ts";
import { receivedSignal } from "./received.ts";

/**
 * One signal for one chain, which mostly ends a plain wait: by a few statements that cost less than those over arrays. The locks are
 * taken in the same order, and anything else is left to `deliver_v1`.
 */
export function signalOneFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "signal_one_v1",
    parameters:
      "p_alone text, p_now text, p_chain text, p_type text, p_name text, p_payload text, p_id text, p_context text",
    returns: `table(${resultColumns})`,
    declare: `  v_now double precision := ${now};
  v_chain uuid := p_chain::uuid;
  v_job uuid;
  v_open record;
  v_has_signals boolean;
  v_is_plain boolean;`,
    body: `${guard}
  if not ${seesThePast} then
    v_job := ${lastJob(s, "v_chain")};
    select o.chain_id, o.type_name, ${typeOf("o.type_name")} as type into v_open from ${s}.open_job o where o.job_id = v_job and o.waits for update;
    if found and v_open.type = p_type then
      select f.signals into v_has_signals from ${s}.job f where f.id = v_chain and f.chain_status = 0 for no key update;
      select v_open.chain_id = v_chain and j.waits = '{}' and (p_id is null or v_has_signals is null
        or not exists (select from ${s}.signal g where g.chain_id = v_chain and g.signal_id = p_id))
      into v_is_plain from ${s}.job j where j.id = v_job;
    end if;
  end if;
  if v_is_plain then
${takeSignal(s)}
  else
    return query select * from ${s}.signal_v1(null, p_now, json_build_array(json_build_object('n', 0, 'chain', p_chain, 'type', p_type,
      'name', p_name, 'payload', p_payload, 'id', p_id, 'context', p_context))::text);
  end if;`,
  });
}

function takeSignal(s: string): string {
  const signal = { name: "p_name", payload: "p_payload", at: "v_now", id: "p_id", context: "p_context" };
  return `    insert into ${s}.signal (chain_id, position, type_name, name, payload, signal_id, context, at, taken_by)
    values (v_chain, ${lastPosition(s, "v_chain")} + 1, p_type, p_name, p_payload, p_id, p_context, v_now, v_job);
    update ${s}.job j set received = '[' || ${receivedSignal(signal)} || ']', signals = case when v_job = v_chain then true end where j.id = v_job;
    if v_has_signals is null and v_job <> v_chain then
      update ${s}.job f set signals = true where f.id = v_chain;
    end if;
    update ${s}.open_job o set waits = false, state = 1, due_at = v_now where o.job_id = v_job;
  ${returnRow("signalled", { n: "0", delivered: "'taken'", reached: "null" })}
  ${returnRow("woken", { n: "0", jobId: "v_job", chainId: "v_chain", typeName: "p_type", claimName: "v_open.type_name" })}`;
}
