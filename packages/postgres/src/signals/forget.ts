import type { Schema } from "../schema.ts";
import { innerFunction } from "../sql-function.ts";
import { chorePass, passColumns, passVariables } from "../upkeep/chore.ts";

/** Forgets publications that are kept no longer. */
export function forgetPublicationsFunction(schema: Schema): string {
  const { quoted: s } = schema;
  const { begin, finish } = chorePass(schema, "'publications'", "moments");
  return innerFunction(schema, {
    name: "forget_publications_v1",
    parameters: "v_now double precision, p_limit integer",
    returns: `table(${passColumns})`,
    declare: `${passVariables}
  v_rows tid[];
  v_reached double precision;`,
    body: `${begin}
  select array_agg(p.at), max(p.until) into v_rows, v_reached
  from (
    select p.ctid as at, p.until from ${s}.publication p
    where p.until >= v_from and p.until <= v_now order by p.until limit p_limit for update skip locked) p;
  delete from ${s}.publication p where p.ctid = any(v_rows);
${finish("coalesce(v_reached, v_from)")}
  return query select 0, (coalesce(cardinality(v_rows), 0) >= p_limit)::integer;`,
  });
}
