import { leavesLane } from "../limits/give-back.ts";
import { leavesTopics } from "../signals/begin-waits.ts";
import { heldKeyOf } from "../rows.ts";
import { deleteNotes } from "../notes/delete-notes.ts";
import type { Schema } from "../schema.ts";
import { innerFunction } from "../sql-function.ts";

/** Deletes chains that `hold_chains_v1` has locked, with their jobs and everything that refers to them. Returns the running attempts. */
export function deleteChainsFunction(schema: Schema): string {
  const { quoted: s, positions } = schema;
  return innerFunction(schema, {
    name: "delete_chains_v1",
    parameters: "p_chains uuid[]",
    returns: "table(job_id uuid, chain_id uuid, worker_id text)",
    declare: `  v_jobs uuid[];
  v_needed uuid[];
  v_passing uuid[];
  v_logged uuid[];`,
    body: `  v_jobs := p_chains || array(select j.id from ${s}.job j where j.chain_id = any(p_chains) and j.step > 1);
  return query
  with gone as (
    delete from ${s}.open_job o where o.job_id = any(v_jobs) returning o.job_id, o.chain_id, o.leased_by, ${leavesLane(s)}, ${leavesTopics(s)})
  select g.job_id, g.chain_id, g.leased_by::text from gone g where g.leased_by is not null;
  delete from ${s}.stopped k where k.chain_id = any(p_chains);
  delete from ${s}.failure k where k.chain_id = any(p_chains);
  delete from ${s}.expiry x where x.chain_id = any(p_chains);
  -- Retention looks again at the blockers of these chains: they may have expired while they were needed.
  with gone as (
    delete from ${s}.blocker b where b.job_id = any(v_jobs) returning b.chain_id, b.passes)
  select array_agg(g.chain_id), array_agg(g.chain_id) filter (where g.passes) into v_needed, v_passing from gone g;
  if v_needed is not null then
    update ${s}.expiry x set since = least(x.since, u.reached)
    from ${s}.upkeep u
    where u.chore = 'expiry ' || x.kind and x.ctid = any(array(
      select p.ctid from ${s}.expiry p where p.chain_id = any(v_needed) for update skip locked));
  end if;
  if v_passing is not null then
    -- They have completed, and the chain to which their compensations would pass is deleted.
    delete from ${s}.compensation c where c.chain_id = any(v_passing);
  end if;
  delete from ${s}.blocker b where b.chain_id = any(p_chains);
  delete from ${s}.release r where r.chain_id = any(p_chains);
  delete from ${s}.signal g where g.chain_id = any(p_chains);
  delete from ${s}.compensation c where c.chain_id = any(p_chains);
  delete from ${s}.deadline d where d.chain_id = any(p_chains);
${deleteNotes(s)}
  delete from ${s}.deduplication d using (select f.id, ${heldKeyOf("f")} as key from ${s}.job f where f.id = any(p_chains) offset 0) f where d.key = any(array[f.key]) and d.chain_id = f.id;
  delete from ${s}.tag g using ${s}.job f cross join jsonb_each_text(f.tags::jsonb) t
  where f.id = any(p_chains) and f.tags is not null
    and g.name = any(array[t.key]) and g.value = any(array[t.value]) and g.chain_id = f.id;
  with gone as (
    delete from ${s}.job j where j.id = any(v_jobs) returning j.type_name, j.status)
  insert into ${s}.tally_change (n, type_name, status, count)
  select nextval(${positions}), g.type_name, g.status, -g.count
  from (select g.type_name, g.status, count(*) as count from gone g where g.status > 0 group by g.type_name, g.status) g;`,
  });
}
