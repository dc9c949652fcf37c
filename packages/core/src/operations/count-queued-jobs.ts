import { checkKeys } from "../checks/check-options.ts";
import type { StoreAccess } from "../engine/engine.ts";
import type { WorkerRecord } from "../model/record.ts";
import { claimName } from "../model/claim-name.ts";
import type { QueuedCount } from "../ports/query.ts";
import type { QueuedJobs } from "../types/job-reports.ts";
import type { InTransaction } from "../types/list-options.ts";
import { claimsJobsOf } from "./worker-claims.ts";

const countKeys = { tx: true } satisfies Record<keyof InTransaction<unknown>, true>;

/** Counts the jobs that wait or run by type, version and pool, in this order, and the live workers that claim them. */
export async function countQueuedJobs(
  store: StoreAccess,
  options: InTransaction<unknown> = {},
): Promise<readonly QueuedJobs[]> {
  checkKeys(options, countKeys, "countQueuedJobs");
  const call = store.callOptions(options.tx);
  return queuedJobs(await store.state.countQueued(call), await store.state.listWorkers(call));
}

/** The same from what one look at the store has counted. */
export function queuedJobs(counts: readonly QueuedCount[], workers: readonly WorkerRecord[]): readonly QueuedJobs[] {
  const byName = new Map<string, QueuedJobs>();
  for (const { status, count, ...key } of counts) {
    const known = byName.get(claimName(key)) ?? {
      ...key,
      ready: 0,
      scheduled: 0,
      running: 0,
      workers: workers.filter((worker) => claimsJobsOf(worker, key)).length,
    };
    byName.set(claimName(key), { ...known, [status]: count });
  }
  return [...byName.values()].toSorted(inOrder);
}

function inOrder(left: QueuedJobs, right: QueuedJobs): number {
  const byType = compare(left.typeName, right.typeName);
  return byType || left.version - right.version || compare(left.pool ?? "", right.pool ?? "");
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
