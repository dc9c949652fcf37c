import type { CallOptions, RenewRequest, UnrenewedLease } from "chainwright/adapter";
import { guard, now, outerFunction } from "../sql-function.ts";
import type { Schema } from "../schema.ts";
import { call, type Store } from "../store.ts";

/** Extends the leases of a worker, and returns those that it has not extended. */
export async function renew<Tx>(
  store: Store<Tx>,
  { workerId, held }: RenewRequest,
  options: CallOptions<Tx>,
): Promise<readonly UnrenewedLease[]> {
  if (held.length === 0) return [];
  const records = held.map(({ jobId, fence, leaseMs }, n) => ({ n, id: jobId, fence, lease: leaseMs }));
  const rows = await call(store, { name: "renew_v1", parameters: [workerId, JSON.stringify(records)] }, options);
  return rows.flatMap(([n, reason]) => {
    const lease = held[Number(n)];
    if (lease === undefined) return [];
    return [
      { fence: { jobId: lease.jobId, workerId, fence: lease.fence }, reason: reason as UnrenewedLease["reason"] },
    ];
  });
}

/**
 * Skips rows that a transaction has locked: one that settles this worker's outcome, or one of the application that cancels the
 * chain and may last minutes. Such a lease is neither extended nor lost, but busy; the next renewal tries again.
 */
export function renewFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "renew_v1",
    parameters: "p_alone text, p_now text, p_worker text, p_held text",
    returns: "table(n integer, reason text)",
    declare: `  v_now double precision := ${now};`,
    body: `${guard}
  return query
  with held as materialized (
    select * from json_to_recordset(p_held::json) as h(n integer, id uuid, fence integer, lease double precision)),
  own as materialized (
    select h.n, h.lease, o.ctid as at
    from held h join ${s}.open_job o on o.job_id = any(array[h.id])
    where o.leased_by = p_worker and o.fence = h.fence
    for no key update of o skip locked),
  renewed as (
    update ${s}.open_job o set leased_until = v_now + w.lease from own w where o.ctid = w.at)
  select h.n, case when o.job_id is null then ${s}.lost_reason_v1(h.id) else 'busy' end
  from held h
  left join ${s}.open_job o on o.job_id = any(array[h.id]) and o.leased_by = p_worker and o.fence = h.fence
  where h.n not in (select w.n from own w)
  order by h.n;`,
  });
}
