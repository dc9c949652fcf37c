/**
 * A query for the number of chains that an open job must wait for, in the column `waits_for`: chains that had not completed when
 * they were counted, and have not completed since, or have completed and are still to release the job.
 */
export function waitsFor(s: string, job: string): string {
  return `select count(distinct b.chain_id)::integer as waits_for
  from ${s}.blocker b left join ${s}.job f on f.id = b.chain_id
  where b.job_id = ${job} and b.counted and (f.chain_status is distinct from 1 or exists (
    select from ${s}.release r where r.chain_id = b.chain_id and b.job_id between r.from_id and r.until_id))`;
}
