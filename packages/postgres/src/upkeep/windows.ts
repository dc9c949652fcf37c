import { guard, now, outerFunction } from "../sql-function.ts";
import type { Schema } from "../schema.ts";
import { chorePass, passColumns, passVariables } from "./chore.ts";

/**
 * Frees deduplication keys whose window has passed, and forgets old ticks, publications and the memos of completed jobs. Keys that a start has locked are left for another pass.
 */
export function windowsFunction(schema: Schema): string {
  const { quoted: s } = schema;
  const { begin, finish } = chorePass(schema, "'windows'", "moments");
  return outerFunction(schema, {
    name: "windows_v1",
    parameters: "p_alone text, p_now text, p_limit text",
    returns: `table(${passColumns})`,
    declare: `  v_now double precision := ${now};
${passVariables}
  v_keys text[];
  v_reached double precision;`,
    body: `${guard}
${begin}
  select array_agg(d.key), max(d.until) into v_keys, v_reached
  from (
    select d.key, d.until from ${s}.deduplication d where d.until >= v_from and d.until <= v_now
    order by d.until limit p_limit::integer for update skip locked) d;
  delete from ${s}.deduplication d where d.key = any(v_keys);
${finish("coalesce(v_reached, v_from)")}
  return query
  select coalesce(cardinality(v_keys), 0), greatest((coalesce(cardinality(v_keys), 0) >= p_limit::integer)::integer, t.more, p.more, m.more)
  from ${s}.forget_ticks_v1(v_now, p_limit::integer) t, ${s}.forget_publications_v1(v_now, p_limit::integer) p,
    ${s}.forget_notes_v1(p_limit::integer) m;`,
  });
}
