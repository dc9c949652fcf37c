import { lostError, rules, type Fence } from "chainwright/adapter";
import type { SqliteRows } from "../rows/job-row.ts";

/** Throws unless a fence holds. No one else can write before the end of the transaction in which this is called. */
export function createHold(rows: SqliteRows): (fence: Fence, now: number) => void {
  return (fence, now) => {
    if (rows.leasedJob(fence) === undefined) {
      throw lostError(rules.lostReason(rows, fence.jobId, now), { id: fence.jobId });
    }
  };
}
