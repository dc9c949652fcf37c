import type { CallOptions, MaintainReply, MaintainRequest } from "chainwright";
import { guard, innerFunction, nowOf, outerFunction } from "../functions/function.ts";
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
    declare: `  v_now double precision := ${nowOf("p_now")};
  v_limit integer := p_limit::integer;
  v_removed integer := 0;`,
    body: `${guard("p_alone")}
  if p_completed_ms is not null then
    v_removed := ${s}.expire_v1(false, v_now - p_completed_ms::double precision, v_limit);
  end if;
  if p_failed_ms is not null then
    v_removed := v_removed + ${s}.expire_v1(true, v_now - p_failed_ms::double precision, v_limit - v_removed);
  end if;
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
  return v_removed;`,
  });
}

/** Deletes chains that ended at or before a moment, oldest first; one that another still waits for stays. */
export function expireFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "expire_v1",
    parameters: "p_failed boolean, p_until double precision, p_limit integer",
    returns: "integer",
    declare: `  v_removed integer := 0;
  v_row record;
  v_batch uuid[];
  v_ready uuid[];
  v_held uuid[];
  v_kept jsonb := '[]';`,
    body: `  while v_removed < p_limit and jsonb_array_length(v_kept) < 100 loop
    select l.ctid as place, l.at, l.chain_ids into v_row
    from ${s}.ended l where l.failed = p_failed and l.at <= p_until order by l.at limit 1 for update skip locked;
    exit when not found;
    v_batch := v_row.chain_ids[1 : p_limit - v_removed];
    if cardinality(v_batch) < cardinality(v_row.chain_ids) then
      update ${s}.ended l set chain_ids = v_row.chain_ids[p_limit - v_removed + 1 :] where l.ctid = v_row.place;
    else
      delete from ${s}.ended l where l.ctid = v_row.place;
    end if;
    -- A chain may have been retried, and have ended again: then another row tells of it.
    v_ready := array(
      select f.id from ${s}.job f join ${s}.job e on e.id = f.ended_job_id
      where f.id = any(v_batch) and (f.chain_status = 2) = p_failed and e.ended_at <= p_until
      order by f.id for update of f skip locked);
    v_held := array(
      select f.id from ${s}.job f join ${s}.job e on e.id = f.ended_job_id
      where f.id = any(v_batch) and (f.chain_status = 2) = p_failed and e.ended_at <= p_until
        and (f.id <> all(v_ready) or exists (
          select from ${s}.blocker b join ${s}.job j on j.id = b.job_id where b.chain_id = f.id and j.status <> 1)));
    if cardinality(v_held) > 0 then
      v_kept := v_kept || jsonb_build_object('at', v_row.at, 'chains', v_held);
      v_ready := array(select r.id from unnest(v_ready) as r(id) where r.id <> all(v_held));
    end if;
    perform ${s}.delete_v1(v_ready);
    v_removed := v_removed + cardinality(v_ready);
  end loop;
  insert into ${s}.ended (failed, at, chain_ids)
  select p_failed, k.at, k.chains from jsonb_to_recordset(v_kept) as k(at double precision, chains uuid[]);
  return v_removed;`,
  });
}
