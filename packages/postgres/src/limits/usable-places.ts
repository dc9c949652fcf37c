import type { Schema } from "../schema.ts";
import { innerFunction } from "../sql-function.ts";
import { isHeld } from "./tables.ts";

/**
 * The number up to which free places of a gate may be given, while jobs hold places above its limit: as many free ones are up to there
 * as the limit leaves beside all that are held. While the jobs end it only grows, so two claims that see different moments give no
 * more than the limit together.
 */
export function usablePlacesFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "usable_places_v1",
    parameters: "p_gate text, p_most integer",
    returns: "integer",
    declare: `  v_left integer := p_most - (
    select count(*) from ${s}.place p where p.gate = p_gate and ${isHeld("p")});`,
    body: `  if v_left <= 0 then
    return 0;
  end if;
  return coalesce((
    select p.n - 1 from ${s}.place p where p.gate = p_gate and p.job_id is null
    order by p.n offset v_left limit 1), p_most);`,
  });
}
