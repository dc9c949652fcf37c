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
  const interrupted = new Map<string, RemoveReply["interrupted"]>();
  for (const { kind, chainId, jobId, status } of facts) {
    if (kind === "interrupted" && status !== null) interrupted.set(chainId, { jobId, workerId: status });
  }
  const removed = facts.filter(({ kind }) => kind === "removed");
  return {
    ok: true,
    value: removed.map(({ chainId, typeName }) => ({ chainId, typeName, interrupted: interrupted.get(chainId) })),
  };
}

/**
 * What was looked at is looked at again once it is locked: chains move on, end and are retried between the two. Those that
 * wait for a chain that is held cannot become more, for they need its first row; they can become fewer.
 */
export function removeFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "remove_v1",
    parameters: "p_alone text, p_now text, p_chains text, p_cascade text",
    returns: `table(${factColumns})`,
    declare: `  v_chains uuid[] := array(
    select e.id::uuid from json_array_elements_text(p_chains::json) with ordinality as e(id, n) order by e.n);
  v_edge uuid[];
  v_next uuid[];
  v_bad record;`,
    body: `${guard("p_alone")}
  v_edge := ${s}.hold_v1(v_chains);
  select c.id into v_bad from unnest(v_chains) with ordinality as c(id, n) where c.id <> all(v_edge) order by c.n limit 1;
  if found then
    return query select ${factRow({ kind: "'refused'", body: "json_build_object('code', 'chain-not-found', 'id', v_bad.id)::text" })};
    return;
  end if;
  loop
    v_next := array(${waiting(s, "any(v_edge)")} and j.chain_id <> all(v_chains));
    exit when v_next = '{}';
    if p_cascade is null then
      select e.id, (
        select json_agg(r.chain_id) from (${waiting(s, "any(array[e.id])")} and j.chain_id <> all(v_chains) order by j.chain_id limit 100) r) as chains
      into v_bad
      from unnest(v_chains) with ordinality as e(id, n)
      where exists (${waiting(s, "any(array[e.id])")} and j.chain_id <> all(v_chains))
      order by e.n limit 1;
      return query select ${factRow({
        kind: "'refused'",
        body: "json_build_object('code', 'chain-referenced', 'id', v_bad.id, 'references', v_bad.chains)::text",
      })};
      return;
    end if;
    v_next := ${s}.hold_v1(v_next);
    v_edge := array(${waiting(s, "any(v_edge)")} and j.chain_id = any(v_next));
    v_chains := v_chains || v_edge;
  end loop;
  return query
  select ${factRow({ kind: "'removed'", chain_id: "f.id", type_name: "f.type_name" })}
  from unnest(v_chains) with ordinality as c(id, n) join ${s}.job f on ${isOne("f.id", "c.id")}
  order by c.n;
  return query
  select ${factRow({ kind: "'interrupted'", job_id: "d.job_id", chain_id: "d.chain_id", status: "d.worker_id" })}
  from ${s}.delete_v1(v_chains) d;`,
  });
}

/** The chains with a job that waits for one of the given, or stopped while it did. */
function waiting(s: string, chains: string): string {
  return `select distinct j.chain_id from ${s}.blocker b join ${s}.job j on ${isOne("j.id", "b.job_id")}
      where b.chain_id = ${chains} and j.status <> 1`;
}
