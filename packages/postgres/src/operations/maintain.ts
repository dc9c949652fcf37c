import type { CallOptions, MaintainReply, MaintainRequest } from "chainwright";
import { guard, innerFunction, nowOf, outerFunction } from "../functions/function.ts";
import { isOne } from "../functions/is-one.ts";
import type { Schema } from "../schema.ts";
import { call } from "../store.ts";
import type { Store } from "../store.ts";

/** One bounded pass of upkeep: expired chains, deduplication windows, dead workers, the tally. */
export async function maintain<Tx>(
  store: Store<Tx>,
  { completedMs, failedMs, limit }: MaintainRequest,
  options: CallOptions<Tx>,
): Promise<MaintainReply> {
  const parameters = [textOf(completedMs), textOf(failedMs), String(limit)];
  const [row] = await call(store, { name: "maintain_v1", parameters }, options);
  const removed = Number(row?.[0] ?? 0);
  return { removed, more: removed >= limit };
}

function textOf(value: number | undefined): string | null {
  return value === undefined ? null : String(value);
}

/** Waits for nobody: what another pass, a worker or a caller has locked is left for next time. */
export function maintainFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "maintain_v1",
    parameters: "p_alone text, p_now text, p_completed_ms text, p_failed_ms text, p_limit text",
    returns: "integer",
    declare: `  v_now double precision := ${nowOf("p_now")};`,
    body: `${guard("p_alone")}
  delete from ${s}.deduplication d
  where d.key = any(array(
    select p.key from ${s}.deduplication p where p.until <= v_now order by p.until limit 1000 for update skip locked));
  delete from ${s}.worker w
  where w.id = any(array(select p.id from ${s}.worker p where p.alive_until <= v_now for update skip locked));
  with rows as (
    delete from ${s}.tally t where t.ctid = any(array(select p.ctid from ${s}.tally p limit 10000 for update skip locked))
    returning t.type_name, t.status, t.count)
  insert into ${s}.tally (type_name, status, count)
  select r.type_name, r.status, sum(r.count) from rows r group by r.type_name, r.status having sum(r.count) <> 0;
  return ${s}.expire_v1(v_now - p_completed_ms::double precision, v_now - p_failed_ms::double precision, p_limit::integer);`,
  });
}

/**
 * Walks along the chains from where the last pass stopped, oldest first, and deletes those that ended before their moment;
 * one that another still waits for stays. A chain cannot have ended before it began: at the first one that is too young the
 * walk is at its end, and the next pass begins anew. What stays for good (failed chains, by default) is passed by again on
 * every walk; the number of chains that a pass looks at is limited for that.
 */
export function expireFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "expire_v1",
    parameters: "p_completed_until double precision, p_failed_until double precision, p_limit integer",
    returns: "integer",
    declare: `  v_from bigint;
  v_position bigint;
  v_wrapped boolean := false;
  v_looked integer := 0;
  v_removed integer := 0;
  v_batch integer;
  v_last record;
  v_chains uuid[];`,
    body: `  select m.retention_position into v_from from ${s}.meta m for update skip locked;
  if not found or coalesce(p_completed_until, p_failed_until) is null then
    return 0;
  end if;
  v_position := v_from;
  while v_removed < p_limit and v_looked < 10 * p_limit + 1000 loop
    v_batch := least(p_limit - v_removed, 500);
    select max(c.position) as position, count(*) as looked,
      coalesce(bool_or(c.created_at > greatest(p_completed_until, p_failed_until)), false) as is_young,
      array_agg(c.id) filter (where case c.chain_status when 0 then false when 2 then c.ended_at <= p_failed_until
        else c.ended_at <= p_completed_until end) as expired
    into v_last
    from (
      select f.id, f.position, f.created_at, f.chain_status, e.ended_at
      from (
        select f.id, f.position, f.created_at, f.chain_status, f.ended_job_id from ${s}.job f
        where f.step = 1 and f.position > v_position and (not v_wrapped or f.position <= v_from)
        order by f.position limit v_batch) f
      left join ${s}.job e on ${isOne("e.id", "f.ended_job_id")}) c;
    v_looked := v_looked + v_last.looked;
    if v_last.expired is not null then
      -- Under the lock that whoever would wait for them takes, too; a retry may have come between.
      v_chains := array(
        select f.id from ${s}.job f where f.id = any(v_last.expired) and f.chain_status > 0 order by f.id for update skip locked);
      v_chains := array(
        select c.id from unnest(v_chains) as c(id)
        where not exists (
          select from ${s}.blocker b join ${s}.job j on ${isOne("j.id", "b.job_id")} where ${isOne("b.chain_id", "c.id")} and j.status <> 1));
      perform ${s}.delete_v1(v_chains);
      v_removed := v_removed + cardinality(v_chains);
    end if;
    if v_last.looked = v_batch and not v_last.is_young then
      v_position := v_last.position;
    else
      -- Once round: from the beginning to where this pass began.
      v_position := 0;
      exit when v_wrapped or v_from = 0;
      v_wrapped := true;
    end if;
  end loop;
  if v_position <> v_from then
    update ${s}.meta m set retention_position = v_position;
  end if;
  return v_removed;`,
  });
}
