import type { UnrenewedLease, RenewRequest } from "chainwright/adapter";
import type { Store } from "../store.ts";
import { createFindJob } from "./find-job.ts";

/** A lease that ran out and was taken by nobody is still its worker's, and goes on. */
export function createRenew(store: Store): (request: RenewRequest, now: number) => readonly UnrenewedLease[] {
  const { tables: t } = store;
  const { lostReason } = createFindJob(store);
  const extend = store.sql(
    `update ${t.ready} set leased_until = ?
     where job = (select seq from ${t.job} where id = ?) and leased_by = ? and fence = ?`,
  );
  return ({ workerId, held }, now) => {
    const lost: UnrenewedLease[] = [];
    for (const { jobId, fence, leaseMs } of held) {
      if (Number(extend.run(now + leaseMs, jobId, workerId, fence).changes) > 0) continue;
      lost.push({ fence: { jobId, workerId, fence }, reason: lostReason(jobId) });
    }
    return lost;
  };
}
