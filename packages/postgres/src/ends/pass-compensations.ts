import { resultColumns, resultRow } from "../result-rows.ts";
import type { Schema } from "../schema.ts";
import { innerFunction } from "../sql-function.ts";

/*
 * Compensations of a chain that was started inline pass to the chain for which it was started when the release of its completion
 * reaches that chain's job. They pass under the lock of the open job, which every end of that chain locks as well. So an end either
 * sees them, or comes first; then they are started here. As everything that a release does, this waits for no lock.
 */

/** Moves the compensations of a chain to a step of another, behind what has passed to it before. A statement. */
export const moveCompensations = ({ quoted: s, positions }: Schema, from: string, to: string, step: string) =>
  `    insert into ${s}.compensation (chain_id, step, position, body)
    select ${to}, ${step}, nextval(${positions}), c.body
    from (select c.body from ${s}.compensation c where c.chain_id = ${from} order by c.step, c.position) c;
    delete from ${s}.compensation c where c.chain_id = ${from};`;

/** The newest job of a chain. */
export const newestJob = (s: string, chain: string) =>
  `coalesce((select j.id from ${s}.job j where j.chain_id = ${chain} and j.step > 1 order by j.step desc limit 1), ${chain})`;

/** Passes the compensations of completed chains (`p_chains`) to the chains of the jobs for which they were started (`p_jobs`). */
export function passCompensationsFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "pass_compensations_v1",
    parameters: "p_now double precision, p_n integer[], p_chains uuid[], p_jobs uuid[]",
    returns: `table(${resultColumns})`,
    declare: `  v_pair record;
  v_open uuid;
  v_status smallint;`,
    body: `  for v_pair in
    select i.n, i.chain_id, i.job_id, j.chain_id as parent, j.step
    from unnest(p_n, p_chains, p_jobs) as i(n, chain_id, job_id) join ${s}.job j on j.id = any(array[i.job_id])
    where (
      select true from ${s}.blocker b where b.job_id = i.job_id and b.chain_id = i.chain_id and b.passes limit 1)
    order by i.chain_id, i.job_id
  loop
    v_status := 0;
    v_open := ${newestJob(s, "v_pair.parent")};
    update ${s}.open_job o set on_end = true
    where o.job_id = any(array(select w.job_id from ${s}.open_job w where w.job_id = v_open for update skip locked));
    if not found then
${lookAtEnd(s)}
      if v_status is null or v_status = 0 then
${leaveIt(schema)}
        continue;
      end if;
    end if;
    update ${s}.blocker b set passes = null where b.job_id = v_pair.job_id and b.chain_id = v_pair.chain_id;
    if v_status = 1 then
      delete from ${s}.compensation c where c.chain_id = v_pair.chain_id;
      continue;
    end if;
${moveCompensations(schema, "v_pair.chain_id", "v_pair.parent", "v_pair.step")}
    if v_status > 1 then
      return query select * from ${s}.start_follow_ups_v1(p_now, v_pair.parent, v_pair.n, (
        -- The attempt that was running when that chain stopped may still be running.
        select max(o.due_at) from ${s}.compensation c join ${s}.open_job o on o.job_id = any(array[c.follower])
        where c.chain_id = v_pair.parent and o.state + 0 = 1 and o.fence = 0 and not o.has_blockers));
    end if;
  end loop;`,
  });
}

/** The row of the chain is locked, so that it is not retried meanwhile. Null: another transaction has locked it. */
function lookAtEnd(s: string): string {
  return `      v_status := null;
      if not exists (select from ${s}.open_job o where o.job_id = v_open) then
        select f.chain_status into v_status from ${s}.job f where f.id = v_pair.parent for share skip locked;
      end if;`;
}

/** Leaves it to a later exchange, unless the release of the job is left anyway. */
function leaveIt({ quoted: s, positions }: Schema): string {
  return `        insert into ${s}.release (position, chain_id, from_id, until_id)
        select nextval(${positions}), v_pair.chain_id, v_pair.job_id, v_pair.job_id
        where not exists (
          select from ${s}.release r
          where r.chain_id = v_pair.chain_id and v_pair.job_id >= r.from_id and v_pair.job_id <= r.until_id);
        return query select ${resultRow("locked", { n: "v_pair.n" })};`;
}
