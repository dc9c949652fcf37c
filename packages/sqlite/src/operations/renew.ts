import { rules, type RenewRequest, type UnrenewedLease } from "chainwright/adapter";
import type { Store } from "../store.ts";
import type { SqliteRows } from "../rows/job-row.ts";

/** An expired lease is renewed as well if no other worker has claimed the job. */
export function createRenew(
  store: Store,
  rows: SqliteRows,
): (request: RenewRequest, now: number) => readonly UnrenewedLease[] {
  const { tables: t } = store;
  const extend = store.sql(
    `update ${t.openJob} set leased_until = ?
     where job = (select seq from ${t.job} where id = ?) and leased_by = ? and fence = ?`,
  );
  return ({ workerId, held }, now) => {
    const lost: UnrenewedLease[] = [];
    for (const { jobId, fence, leaseMs } of held) {
      if (Number(extend.run(now + leaseMs, jobId, workerId, fence).changes) > 0) continue;
      lost.push({ fence: { jobId, workerId, fence }, reason: rules.lostReason(rows, jobId, now) });
    }
    return lost;
  };
}
