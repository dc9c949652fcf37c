import type { CallOptions, RemoveReply, RemoveRequest, Reply } from "chainwright";
import { factOf, refusalOf } from "../facts.ts";
import { factColumns, factRow } from "../functions/fact-row.ts";
import { guard, outerFunction } from "../functions/function.ts";
import { isOne } from "../functions/is-one.ts";
import type { Schema } from "../schema.ts";
import { call } from "../store.ts";
import type { Store } from "../store.ts";

/** Deletes chains with their jobs; with cascade also the chains that wait for them. */
export async function remove<Tx>(
  store: Store<Tx>,
  { chainIds, cascade }: RemoveRequest,
  options: CallOptions<Tx>,
): Promise<Reply<readonly RemoveReply[]>> {
  if (chainIds.length === 0) return { ok: true, value: [] };
  const parameters = [JSON.stringify([...new Set(chainIds)]), cascade ? "1" : null];
  const facts = (await call(store, { name: "remove_v1", parameters }, options)).map(factOf);
  const refused = facts.find(({ kind }) => kind === "refused");
  if (refused !== undefined) return { ok: false, refusal: refusalOf(refused) };
  return { ok: true, value: facts.map(({ chainId, typeName }) => ({ chainId, typeName })) };
}

/**
 * Locks open jobs, as their workers would, and then the chains' first rows, as those who would wait for them do: what
 * is true of them stays true until they are gone.
 */
export function removeFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "remove_v1",
    parameters: "p_alone text, p_now text, p_chains text, p_cascade text",
    returns: `table(${factColumns})`,
    declare: `  v_chains uuid[] := array(
    select e.id::uuid from json_array_elements_text(p_chains::json) with ordinality as e(id, n) order by e.n);
  v_edge uuid[] := v_chains;
  v_next uuid[];
  v_bad record;`,
    body: `${guard("p_alone")}
  loop
    perform from ${s}.open_job o
    where o.job_id in (
      select coalesce((select j.id from ${s}.job j where j.chain_id = e.id and j.step > 1 order by j.step desc limit 1), e.id)
      from unnest(v_edge) as e(id))
    order by o.job_id for update;
    perform from ${s}.job f where f.id = any(v_edge) order by f.id for update;
    select e.id into v_bad
    from unnest(v_edge) with ordinality as e(id, n)
    left join ${s}.job f on ${isOne("f.id", "e.id")} and f.chain_status is not null
    where f.id is null order by e.n limit 1;
    if found then
      return query select ${factRow({ kind: "'refused'", body: "json_build_object('code', 'chain-not-found', 'id', v_bad.id)::text" })};
      return;
    end if;
    select array_agg(distinct j.chain_id) into v_next
    from ${s}.blocker b join ${s}.job j on ${isOne("j.id", "b.job_id")}
    where b.chain_id = any(v_edge) and j.status <> 1 and j.chain_id <> all(v_chains);
    exit when v_next is null;
    if p_cascade is null then
      select e.id, (
        select json_agg(r.chain_id) from (
          select distinct j.chain_id from ${s}.blocker b join ${s}.job j on ${isOne("j.id", "b.job_id")}
          where ${isOne("b.chain_id", "e.id")} and j.status <> 1 and j.chain_id <> all(v_chains)
          order by j.chain_id limit 100) r) as chains
      into v_bad
      from unnest(v_edge) with ordinality as e(id, n)
      where exists (
        select from ${s}.blocker b join ${s}.job j on ${isOne("j.id", "b.job_id")}
        where ${isOne("b.chain_id", "e.id")} and j.status <> 1 and j.chain_id <> all(v_chains))
      order by e.n limit 1;
      return query select ${factRow({
        kind: "'refused'",
        body: "json_build_object('code', 'chain-referenced', 'id', v_bad.id, 'references', v_bad.chains)::text",
      })};
      return;
    end if;
    v_chains := v_chains || v_next;
    v_edge := v_next;
  end loop;
  return query
  select ${factRow({ kind: "'removed'", chain_id: "f.id", type_name: "f.type_name" })}
  from unnest(v_chains) with ordinality as c(id, n) join ${s}.job f on ${isOne("f.id", "c.id")}
  order by c.n;
  perform ${s}.delete_v1(v_chains);`,
  });
}
