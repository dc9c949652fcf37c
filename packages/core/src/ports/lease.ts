import type { Fence, LostReason } from "../model/outcome.ts";

/** All leases of a worker. */
export interface RenewRequest {
  readonly workerId: string;
  readonly held: readonly HeldLease[];
}

/** A lease that a worker holds, and its new length. */
export interface HeldLease {
  readonly jobId: string;
  readonly fence: number;
  readonly leaseMs: number;
}

/**
 * A lease that was not extended, and why: the worker has lost it; or `busy`, because a transaction has locked its row, so
 * that for now it is neither extended nor lost, and no one else can claim the job.
 */
export interface UnrenewedLease {
  readonly fence: Fence;
  readonly reason: LostReason | "busy";
}
