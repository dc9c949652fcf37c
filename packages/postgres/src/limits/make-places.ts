import type { Schema } from "../schema.ts";
import { innerFunction } from "../sql-function.ts";

/**
 * Makes places and tokens for the lanes of a claim, where fewer than they want are free. A gate has them numbered without gaps.
 *
 * This may wait for another claim that makes them too. So a claim does it once, for all its gates and in their order.
 */
export function makePlacesFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "make_places_v1",
    parameters: `p_now double precision, p_asked integer[], p_lanes integer[], p_gates text[], p_places integer[], p_tokens integer[],
  p_shut double precision[]`,
    returns: "void",
    declare: "",
    body: `  insert into ${s}.place (gate, n)
  select g.gate, m.n from ${missing(`${s}.place`, "p_places", "p.job_id is null")}
  on conflict (gate, n) do nothing;
  if array_remove(p_tokens, null) <> '{}' then
    insert into ${s}.token (gate, n, free_at)
    select g.gate, m.n, 0 from ${missing(`${s}.token`, "p_tokens", "p.free_at <= p_now")}
    on conflict (gate, n) do nothing;
  end if;`,
  });
}

/** A lane that is left to a later round wants one. */
function missing(table: string, most: string, isFree: string): string {
  return `(
    select u.gate, min(u.most) as most, sum(greatest(p_asked[u.lane], 1)) as want
    from unnest(p_lanes, p_gates, ${most}, p_shut) as u(lane, gate, most, shut)
    where u.most is not null and u.shut is null group by u.gate) g,
  lateral (
    select coalesce((select p.n from ${table} p where p.gate = g.gate order by p.n desc limit 1), 0) as last) h,
  lateral generate_series(h.last + 1, least(g.most, h.last + g.want)) as m(n)
  where h.last < g.most
    and (select count(*) from (select from ${table} p where p.gate = g.gate and ${isFree} limit g.want) f) < g.want
  order by g.gate collate "C", m.n`;
}
