import type { UnrenewedLease, RenewRequest } from "../../ports/state.ts";
import { findLeased, lostReasonOf } from "../leases.ts";
import { enter, leave } from "../store.ts";
import type { Store } from "../store.ts";

export function renew(store: Store, { workerId, held }: RenewRequest, now: number): readonly UnrenewedLease[] {
  const lost: UnrenewedLease[] = [];
  for (const { jobId, fence: number, leaseMs } of held) {
    const fence = { jobId, workerId, fence: number };
    const row = findLeased(store, fence);
    if (row?.lease === undefined) {
      lost.push({ fence, reason: lostReasonOf(store, fence) });
      continue;
    }
    leave(store, row);
    // It may have lapsed; nobody has claimed it since, so it goes on.
    row.status = "running";
    row.lease = { ...row.lease, until: now + leaseMs };
    enter(store, row);
  }
  return lost;
}
