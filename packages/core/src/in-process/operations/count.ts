import type { JobStatus } from "../../model/status.ts";
import type { JobCount } from "../../ports/query.ts";
import { byTypeName, countOf } from "../lanes.ts";
import type { Lane, TypeRow } from "../row-types.ts";
import { promote } from "../store.ts";
import type { Store } from "../store.ts";

const statuses: readonly JobStatus[] = ["blocked", "scheduled", "ready", "running", "completed", "failed", "cancelled"];

export function count(store: Store, _request: undefined, now: number): readonly JobCount[] {
  promote(store, now);
  const counts: JobCount[] = [];
  for (const [typeName, rows] of byTypeName(store.lanes)) {
    for (const status of statuses) {
      const jobs = countOf(rows, status);
      if (jobs === 0) continue;
      const oldestReadyMs = status === "ready" ? Math.max(0, now - Math.min(...rows.map(oldestReadyAt))) : undefined;
      counts.push({ typeName, status, count: jobs, oldestReadyMs });
    }
  }
  return counts;
}

function oldestReadyAt(type: TypeRow): number {
  return type.busy.reduce((oldest, lane) => Math.min(oldest, oldestIn(lane)), Infinity);
}

/**
 * A row is not ready before it is written, and rows were written in the order of their positions: once one was written after
 * the oldest found so far, no row behind it can be older. So it reads only the first rows of any backlog.
 */
function oldestIn({ rows, head, older }: Lane): number {
  let oldest = Infinity;
  for (let at = head; at < rows.length; at += 1) {
    const row = rows[at];
    if (row === undefined || row.createdAt >= oldest) break;
    if (row.status === "ready") oldest = Math.min(oldest, row.readyAt);
  }
  for (const row of older.items) if (row.status === "ready") oldest = Math.min(oldest, row.readyAt);
  return oldest;
}
