import { queueOf } from "../row-types.ts";
import type { JobRow, Lane } from "../row-types.ts";
import { promote } from "../store.ts";
import type { Store } from "../store.ts";

export interface AheadRequest {
  readonly jobId: string;
  readonly limit: number;
}

export function countAhead(store: Store, { jobId, limit }: AheadRequest, now: number): number {
  const row = store.jobs.get(jobId);
  if (row === undefined) return 0;
  promote(store, now);
  const own = queueOf(row);
  let count = 0;
  for (const lane of own.among) {
    if (lane.priority < own.priority || count >= limit) break;
    // All jobs of a higher priority, and of its own priority those before it.
    count += lane === own ? countBefore(lane, row, limit - count) : Math.min(lane.live, limit - count);
  }
  return count;
}

function countBefore(lane: Lane, row: JobRow, limit: number): number {
  let count = 0;
  for (let at = lane.head; at < lane.rows.length && count < limit; at += 1) {
    const other = lane.rows[at];
    if (other === undefined || other.position >= row.position) break;
    if (other.status === "ready" && other.queued === lane) count += 1;
  }
  for (let at = 0; at < lane.older.items.length && count < limit; at += 1) {
    const other = lane.older.items[at];
    if (other?.status === "ready" && other.queued === lane && other.position < row.position) count += 1;
  }
  return count;
}
