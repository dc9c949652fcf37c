import { poolOf, typeOf, versionOf } from "../claim-names.ts";
import { laneColumns } from "../limits/stored-limits.ts";
import { resultColumns, resultRow } from "../result-rows.ts";
import { wholeMs } from "../rows.ts";
import type { Schema } from "../schema.ts";
import { innerFunction, underWay } from "../sql-function.ts";
import { lastStep, ownPosition } from "./tables.ts";

/**
 * Starts what a stopped chain has on record and has not started yet: its compensations, the last one first, each blocked by the one
 * before it, and after them the chain that follows. The first one is due when the lease of the attempt that is still running has run
 * out, at `p_until`. Every way in which a chain stops comes here.
 */
export function startFollowUpsFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "start_follow_ups_v1",
    parameters: "p_now double precision, p_chain uuid, p_n integer, p_until double precision",
    returns: `table(${resultColumns})`,
    declare: `${underWay}  v_each record;
  v_id uuid;
  v_before uuid;
  v_due double precision;
  v_state smallint;`,
    body: `  for v_each in
    select c.step, c.position, b.body, b.body->>'type' as name, (b.body->>'priority')::smallint as priority, b.body->'limits' as limits
    from ${s}.compensation c, lateral (select c.body::json as body) b
    where c.chain_id = p_chain and c.follower is null
    order by c.step desc, c.position desc
  loop
    v_id := ${newId("p_now")};
    v_due := case when v_before is null then greatest(p_now, p_until) else p_now end;
    v_state := case when v_before is not null then 2 when v_due > p_now or v_each.limits is not null then 1 else 0 end;
${writeFollowUp(schema)}
    return query select ${resultRow("unblocked", {
      n: "p_n",
      jobId: "v_id",
      chainId: "v_id",
      typeName: typeOf("v_each.name"),
      status: "case when v_state = 2 then 'blocked' when v_due > p_now then 'scheduled' else 'ready' end",
      dueInMs: "v_due - p_now",
      claimName: "v_each.name",
      followUp: "1",
    })};
    v_before := v_id;
  end loop;
  if v_before is not null then
    update ${s}.job f set on_end = true where f.id = p_chain and f.on_end is null;
  end if;`,
  });
}

function writeFollowUp({ quoted: s, positions }: Schema): string {
  return `    insert into ${s}.job (id, chain_id, step, type_name, priority, on_blocker_failure, status, chain_status, attempt, position,
      created_at, input, context, version, pool, limits, follows, on_end)
    values (v_id, v_id, 1, ${typeOf("v_each.name")}, v_each.priority, 1, 0, 0, 0, nextval(${positions}),
      p_now, case v_each.step when ${lastStep} then ${stoppedInput(s)} else v_each.body->>'input' end, v_each.body->>'context',
      ${versionOf("v_each.name")}, ${poolOf("v_each.name")}, v_each.limits::text, p_chain, case when v_each.body->>'stopped' is not null then true end);
    insert into ${s}.open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, blockers_left, state, rank,
      has_blockers, type_name, lane, lane_weight, lane_holds, on_end)
    select j.id, j.id, j.position, v_due, 0, 1, 0, case when v_before is null then 0 else 1 end, v_state, ~j.priority,
      v_before is not null, v_each.name, ${laneColumns("v_each.limits")}, j.on_end
    from ${s}.job j where j.id = v_id;
    insert into ${s}.blocker (job_id, position, chain_id, counted)
    select v_id, 0, v_before, true where v_before is not null;
    insert into ${s}.compensation (chain_id, step, position, body)
    select v_id, ${lastStep}, ${ownPosition}, v_each.body->>'stopped' where v_each.body->>'stopped' is not null;
    update ${s}.compensation c set follower = v_id
    where c.chain_id = p_chain and c.step = v_each.step and c.position = v_each.position;`;
}

/** An expression for a UUID of version 7 of a moment: a random one with the moment and the version in their places. */
const newId = (moment: string) => `encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
      placing substring(int8send(${wholeMs(moment)}) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid`;

/** An expression for the input of the chain that follows `p_chain`, see `StoppedInput`. */
const stoppedInput = (s: string) => `(
        select '{"chain":{"id":' || to_json(f.id)::text || ',"typeName":' || to_json(f.type_name)::text || ',"version":' || coalesce(f.version, 1)::text || ',"input":' || f.input
          || ',"startedAt":' || ${wholeMs("f.created_at")}::text || '},"status":'
          || case f.chain_status when 2 then '"failed"' else '"cancelled"' end
          || ',"step":{"jobId":' || to_json(e.id)::text || ',"typeName":' || to_json(e.type_name)::text || '}'
          || case when f.chain_status = 2 then coalesce(',"error":' || (e.errors::json->-1)::text, '') else '' end
          || case when f.chain_status = 3 then coalesce(',"reason":' || to_json(f.reason)::text, '') else '' end || '}'
        from ${s}.job f join ${s}.job e on e.id = any(array[f.ended_job_id]) where f.id = p_chain)`;
