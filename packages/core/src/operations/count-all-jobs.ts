import type { StoreAccess } from "../engine/engine.ts";
import type { JobCount, QueuedCount } from "../ports/query.ts";
import type { QueuedJobs } from "../types/job-reports.ts";
import { countsByType } from "./count-jobs.ts";
import { queuedJobs } from "./count-queued-jobs.ts";
import type { View } from "./views.ts";

/** What `countJobs` and `countQueuedJobs` return, from one look at the open jobs. */
export async function countAllJobs(
  store: StoreAccess,
): Promise<{ readonly byType: View; readonly queued: readonly QueuedJobs[] }> {
  const call = store.callOptions(undefined);
  const rows = await store.state.count({ ...call, byVersion: true });
  const workers = await store.state.listWorkers(call);
  return {
    byType: countsByType(rows),
    queued: queuedJobs(rows.flatMap(queuedCountOf), workers),
  };
}

function queuedCountOf({ typeName, version = 1, pool, status, count }: JobCount): readonly QueuedCount[] {
  if (status !== "ready" && status !== "scheduled" && status !== "running") return [];
  return [{ typeName, version, pool, status, count }];
}
