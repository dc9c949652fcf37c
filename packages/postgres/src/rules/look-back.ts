import { inboxLane } from "../limits/tables.ts";
import { wholeMs } from "../rows.ts";
import type { Schema } from "../schema.ts";
import { now, scanFunction } from "../sql-function.ts";
import { began, deadRows, thisServer, tookMs } from "./claim-places.ts";

/**
 * Looks at all open jobs for those that claims do not see because they begin at later places, see `createClaimStart`, for the first pending
 * release, and for the first jobs in the inbox. It reads the tables, not the indexes: a claim that reads the entries of ended jobs in order
 * visits a page of the table for each of them. The sum keeps the planner from the index of releases.
 */
export function lookBackFunction(schema: Schema): string {
  const { quoted: s, positions } = schema;
  return scanFunction(schema, {
    name: "look_back_v1",
    parameters: "p_alone text, p_now text, p_places text",
    returns: "table(seen text)",
    declare: `  ${began};
  v_now double precision := ${now};
  v_newest bigint := pg_sequence_last_value(${positions});
  v_places jsonb := p_places::jsonb->'places';
  v_types text[] := array(select jsonb_array_elements_text(p_places::jsonb->'types'));
  v_from bigint := (p_places::jsonb->>'from')::bigint;`,
    body: `  return query
  with found as (
    select o.state, o.rank, o.type_name, min(o.due_at) as due_at, min(o.position) filter (where not p.is_before) as position,
      (array_agg(o.job_id) filter (where p.is_before))[1:10000] as before
    from ${s}.open_job o, lateral (
      select o.position < coalesce((v_places->o.rank::text->>o.type_name)::bigint, v_from) as is_before offset 0) p
    where o.state < 2 and o.leased_until <= v_now and o.type_name = any(v_types)
    group by o.state, o.rank, o.type_name)
  select json_build_object('server', ${thisServer}, 'newest', v_newest, 'now', ${wholeMs("v_now")}, 'dead', ${deadRows(s)},
    'released', coalesce((select min(r.position + 0) from ${s}.release r), v_newest),
    'inbox', coalesce((
      select json_agg(json_build_array(p.type_name, p.position))
      from (select p.type_name, min(p.position) as position from ${s}.parked p where p.lane = ${inboxLane} group by p.type_name) p), '[]'), 'tookMs', ${tookMs(s)},
    'ready', coalesce(
      json_agg(json_build_array(f.rank, f.type_name, f.position, coalesce(f.before, '{}'))) filter (where f.state = 0), '[]'),
    'scheduled', coalesce(json_agg(json_build_array(f.type_name, ${wholeMs("f.due_at")})) filter (where f.state = 1), '[]'))::text
  from found f;`,
  });
}
