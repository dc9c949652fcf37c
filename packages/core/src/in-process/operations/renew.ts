import type { UnrenewedLease, RenewRequest } from "../../ports/lease.ts";
import { lostReason } from "../../rules/settle.ts";
import { findLeased } from "../leases.ts";
import type { InProcessRows } from "../rows.ts";
import { enter, leaveForNow } from "../store.ts";

export function renew(rows: InProcessRows, { workerId, held }: RenewRequest, now: number): readonly UnrenewedLease[] {
  const { store } = rows;
  const lost: UnrenewedLease[] = [];
  for (const { jobId, fence: number, leaseMs } of held) {
    const fence = { jobId, workerId, fence: number };
    const row = findLeased(store, fence);
    if (row?.lease === undefined) {
      lost.push({ fence, reason: lostReason(rows, jobId, now) });
      continue;
    }
    leaveForNow(store, row);
    // The lease may have run out; no one has claimed the job since, so it continues.
    row.status = "running";
    row.lease = { ...row.lease, until: now + leaseMs };
    enter(store, row);
  }
  return lost;
}
