import type { Fence, LostReason } from "../model/outcome.ts";
import { lostError } from "../model/lost-error.ts";
import { chainOf, chainStatusOf } from "./rows.ts";
import type { JobRow } from "./rows.ts";
import type { Store } from "./store.ts";

/** The job whose lease a fence names: running, or lapsed and not claimed again. */
export function findLeased(store: Store, fence: Fence): JobRow | undefined {
  const row = store.jobs.get(fence.jobId);
  if (row === undefined || (row.status !== "running" && row.status !== "ready")) return undefined;
  return row.lease?.workerId === fence.workerId && row.fence === fence.fence ? row : undefined;
}

/** Throws unless a fence holds. */
export function hold(store: Store, fence: Fence): void {
  if (findLeased(store, fence) === undefined) throw lostError(lostReasonOf(store, fence), { id: fence.jobId });
}

/** Why `findLeased` found nothing. */
export function lostReasonOf(store: Store, fence: Fence): LostReason {
  const row = store.jobs.get(fence.jobId);
  if (row === undefined || chainStatusOf(chainOf(row)) === "cancelled") return "cancelled";
  return row.endedAt === undefined ? "lease-lost" : "completed-elsewhere";
}
