/**
 * How many chains an open job has to wait for, as a query with the column `waits_for`: those that were open when they were
 * counted last and have not completed since, or have and are still to release it.
 */
export function waitsFor(s: string, job: string): string {
  return `select count(distinct b.chain_id)::integer as waits_for
  from ${s}.blocker b left join ${s}.job f on f.id = b.chain_id
  where b.job_id = ${job} and b.counted and (f.chain_status is distinct from 1 or exists (
    select from ${s}.release r where r.chain_id = b.chain_id and b.job_id between r.from_id and r.until_id))`;
}
