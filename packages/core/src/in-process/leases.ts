import type { Fence } from "../model/outcome.ts";
import type { JobRow } from "./row-types.ts";
import type { Store } from "./store.ts";

/** The job whose lease a fence names: running, or with a lease that ran out and not claimed again. */
export function findLeased(store: Store, fence: Fence): JobRow | undefined {
  const row = store.jobs.get(fence.jobId);
  if (row === undefined || (row.status !== "running" && row.status !== "ready")) return undefined;
  return row.lease?.workerId === fence.workerId && row.fence === fence.fence ? row : undefined;
}
