import type { Schema } from "../schema.ts";
import { innerFunction } from "../sql-function.ts";

/**
 * Rule "cycle": chains must not wait for each other in a ring. Returns the ids of the chains on the way from a chain over the
 * blockers of its open step back to itself, or null if there is no such way.
 *
 * Takes a shared lock on the first row of each chain on the way. If two steps would close a ring together, one of them waits
 * here for the other, because each step has locked its own chain alone.
 */
export function cycleFunction(schema: Schema): string {
  const { quoted: s } = schema;
  const blockersOf = (chain: string) => `lateral (
      select l.id from (
        (select j.id, j.step from ${s}.job j where j.chain_id = ${chain} and j.step > 1 order by j.step desc limit 1)
        union all select ${chain}, 1) l
      order by l.step desc limit 1) l
    cross join lateral (
      select b.chain_id from ${s}.blocker b where b.job_id = l.id and (b.counted or not b.counted) offset 0) b
    join ${s}.job f on f.id = any(array[b.chain_id]) and f.chain_status <> 1`;
  return innerFunction(schema, {
    name: "cycle_v1",
    parameters: "p_chain uuid",
    returns: "uuid[]",
    declare: `  v_seen uuid[] := '{}';
  v_edge uuid[] := array[p_chain];`,
    body: `  loop
    select array_agg(distinct b.chain_id) into v_edge
    from unnest(v_edge) as e(id), ${blockersOf("e.id")}
    where b.chain_id <> all(v_seen);
    if v_edge is null then
      return null;
    end if;
    exit when p_chain = any(v_edge);
    perform from ${s}.job j where j.id = any(v_edge) order by j.id for share;
    v_seen := v_seen || v_edge;
  end loop;
  return (
    with recursive way(at, path) as (
      select p_chain, array[p_chain]
      union all
      select b.chain_id, w.path || b.chain_id
      from way w, ${blockersOf("w.at")}
      where (cardinality(w.path) = 1 or w.at <> p_chain) and (b.chain_id = p_chain or b.chain_id <> all(w.path)))
    select w.path from way w where w.at = p_chain and cardinality(w.path) > 1 order by cardinality(w.path) limit 1);`,
  });
}
