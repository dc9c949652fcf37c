import type { Schema } from "../schema.ts";
import { innerFunction } from "../sql-function.ts";
import { newestJob } from "./pass-compensations.ts";

/**
 * The active chains that were started inline as blockers of the open jobs of these chains, and theirs, each with the number of the
 * chain from which the way to it begins. It locks nothing.
 */
export function ownBlockersFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "own_blockers_v1",
    parameters: "p_n integer[], p_chains uuid[], out n integer[], out chains uuid[]",
    returns: "record",
    declare: `  v_n integer[] := p_n;
  v_edge uuid[] := p_chains;`,
    body: `  n := '{}';
  chains := '{}';
  while v_edge <> '{}' loop
    select coalesce(array_agg(b.n), '{}'), coalesce(array_agg(b.chain_id), '{}') into v_n, v_edge
    from (
      select distinct on (b.chain_id) b.chain_id, e.n
      from unnest(v_n, v_edge) as e(n, id)
      cross join lateral (select ${newestJob(s, "e.id")} as job_id) l
      cross join lateral (select b.chain_id from ${s}.blocker b where b.job_id = l.job_id and b.own offset 0) b
      join ${s}.job f on f.id = any(array[b.chain_id])
      where (select o.state from ${s}.open_job o where o.job_id = l.job_id) = 2 and f.chain_status = 0 and f.id <> all(chains) and f.id <> all(p_chains)
      order by b.chain_id, e.n) b;
    n := n || v_n;
    chains := chains || v_edge;
  end loop;`,
  });
}

/**
 * Leaves out of these chains those for which a job waits that none of these chains and none of `p_jobs` has, and what only they need.
 * The first rows of the chains are locked, so that no more jobs begin to wait for them.
 */
export function unneededFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "unneeded_v1",
    parameters: "p_jobs uuid[], p_chains uuid[], p_chain_jobs uuid[]",
    returns: "uuid[]",
    declare: `  v_chains uuid[] := p_chains;
  v_jobs uuid[] := p_chain_jobs;
  v_count integer;`,
    body: `  loop
    v_count := cardinality(v_chains);
    select coalesce(array_agg(c.id), '{}'), coalesce(array_agg(c.job_id), '{}') into v_chains, v_jobs
    from unnest(v_chains, v_jobs) as c(id, job_id)
    where (
      select true from ${s}.blocker b
      where b.chain_id = c.id and b.job_id <> all(p_jobs) and b.job_id <> all(v_jobs)
        and (select true from ${s}.open_job o where o.job_id = b.job_id) limit 1) is null;
    exit when cardinality(v_chains) = v_count;
  end loop;
  return v_chains;`,
  });
}
