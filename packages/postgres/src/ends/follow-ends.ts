import type { Schema } from "../schema.ts";
import { resultColumns } from "../result-rows.ts";
import { outerFunction } from "../sql-function.ts";
import { lastStep } from "./tables.ts";

/**
 * Does what chains have on record for their ends, once their rows say how they have ended. `p_jobs` are their last jobs,
 * `p_n` the numbers of the outcomes that ended them, and `p_until` when the leases run out of attempts that are still running. Jobs of
 * chains that go on may be among them.
 */
export function followEndsFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "follow_ends_v1",
    parameters: "p_now double precision, p_n integer[], p_jobs uuid[], p_until double precision[]",
    returns: `table(${resultColumns})`,
    declare: `  v_end record;
  v_passes boolean;`,
    body: `  for v_end in
    select i.n, i.until, f.id, f.chain_status
    from unnest(p_n, p_jobs, p_until) with ordinality as i(n, job_id, until, nth)
    join ${s}.job j on j.id = any(array[i.job_id])
    join ${s}.job f on f.id = any(array[j.chain_id])
    where f.chain_status > 0
    order by i.nth
  loop
    delete from ${s}.deadline d where d.chain_id = v_end.id;
    if v_end.chain_status > 1 then
      return query select * from ${s}.start_follow_ups_v1(p_now, v_end.id, v_end.n, v_end.until);
      continue;
    end if;
${keepWhatPasses(s)}
  end loop;`,
  });
}

/** Of a chain that has completed only what passes to the chain for which it was started is kept, until `release_v1` reaches that one. */
function keepWhatPasses(s: string): string {
  return `    update ${s}.blocker b set passes = true
    where b.chain_id = v_end.id
      and b.job_id = any(array(select w.job_id from ${s}.blocker w where w.chain_id = v_end.id and w.own));
    v_passes := found;
    delete from ${s}.compensation c where c.chain_id = v_end.id and (c.step = ${lastStep} or not v_passes);
    update ${s}.job f set on_end = true
    where f.id = v_end.id and f.on_end is null and exists (select from ${s}.compensation c where c.chain_id = v_end.id);`;
}

/** Follows the ends of those jobs that are in `v_marked`. `until`: when the leases of attempts run out that are still running. */
export function followMarked(s: string, at: string, until = "null"): string {
  return `      return query
      select f.* from (
        select array_agg(i.n) as n, array_agg(i.job_id) as jobs from unnest(v_n, v_job) as i(n, job_id) where i.job_id = any(v_marked)) i,
        lateral ${s}.follow_ends_v1(${at}, i.n, i.jobs, ${until}) f;`;
}
