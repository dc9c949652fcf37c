import { typeOf } from "../claim-names.ts";
import { leavesLane } from "../limits/give-back.ts";
import { resultColumns, resultRow } from "../result-rows.ts";
import { literal, type Schema } from "../schema.ts";
import { innerFunction } from "../sql-function.ts";
import { moveCompensations } from "./pass-compensations.ts";

/**
 * Locks the chains that were started because a chain stopped, and returns those that have begun: a worker has claimed a job of them, or
 * they have ended. One that was deleted has begun as well.
 */
export function begunFollowUpsFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "begun_follow_ups_v1",
    parameters: "p_chain uuid",
    returns: "uuid[]",
    declare: `  v_followers uuid[] := array(
    select c.follower from ${s}.compensation c where c.chain_id = p_chain and c.follower is not null order by c.step desc, c.position desc);
  v_free uuid[];`,
    body: `  v_free := array(
    select o.job_id from ${s}.open_job o where o.job_id = any(v_followers) order by o.job_id for update);
  v_free := array(select o.job_id from ${s}.open_job o where o.job_id = any(v_free) and o.fence = 0);
  return array(select f.id from unnest(v_followers) with ordinality as f(id, n) where f.id <> all(v_free) order by f.n);`,
  });
}

const retried = literal("the chain that it follows was retried");

/** Cancels the chains that were started because a chain stopped, which is active again: none of them has begun. */
export function withdrawFollowUpsFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "withdraw_follow_ups_v1",
    parameters: "p_now double precision, p_chain uuid, p_n integer",
    returns: `table(${resultColumns})`,
    declare: `  v_job uuid[];
  v_type text[];
  v_attempt integer[];
  v_fence integer[];
  v_broken uuid[];
  v_broken_n integer[];`,
    body: `  with gone as (
    delete from ${s}.open_job o
    where o.job_id = any(array(select c.follower from ${s}.compensation c where c.chain_id = p_chain and c.follower is not null))
    returning o.job_id, o.position, ${typeOf("o.type_name")} as type_name, o.attempt, o.fence, ${leavesLane(s)})
  select array_agg(g.job_id order by g.position), array_agg(g.type_name order by g.position), array_agg(g.attempt order by g.position),
    array_agg(g.fence order by g.position)
  into v_job, v_type, v_attempt, v_fence
  from gone g;
  if v_job is null then
    return;
  end if;
  update ${s}.compensation c set follower = null where c.chain_id = p_chain;
  -- What would follow them.
  delete from ${s}.compensation c where c.chain_id = any(v_job);
  select c.broken, c.broken_n into v_broken, v_broken_n
  from ${s}.end_v1(p_now, array_fill(p_n, array[cardinality(v_job)]), v_job, v_job, v_type,
    array_fill(3::smallint, array[cardinality(v_job)]), null, null, null, v_attempt, v_fence, null, null, null,
    array_fill(${retried}::text, array[cardinality(v_job)])) c;
  return query
  select ${resultRow("withdrawn", {
    n: "p_n",
    jobId: "c.job_id",
    chainId: "c.job_id",
    typeName: "c.type_name",
  })}
  from unnest(v_job, v_type) with ordinality as c(job_id, type_name, nth) order by c.nth;
  if v_broken is not null then
    return query select * from ${s}.release_v1(p_now, null, null, v_broken, v_broken_n);
  end if;`,
  });
}

/**
 * A job is open again. What its completed blockers have not passed to its chain yet passes now, because their releases do not reach it
 * any more; and its row says whether the chain has anything on record for its end.
 */
export function reopenEndsFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "reopen_ends_v1",
    parameters: "p_job uuid, p_chain uuid, p_step integer",
    returns: "void",
    declare: `  v_passed uuid;`,
    body: `  for v_passed in
    select b.chain_id from ${s}.blocker b join ${s}.job f on f.id = any(array[b.chain_id])
    where b.job_id = p_job and b.passes and f.chain_status = 1 group by b.chain_id order by min(b.position)
  loop
    update ${s}.blocker b set passes = null where b.job_id = p_job and b.chain_id = v_passed;
${moveCompensations(schema, "v_passed", "p_chain", "p_step")}
  end loop;
  update ${s}.open_job o set on_end = true
  where o.job_id = p_job and exists (select from ${s}.compensation c where c.chain_id = p_chain);`,
  });
}
