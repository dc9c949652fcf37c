import type { JobStatus } from "../model/status.ts";
import { checkKeys } from "../checks/check-options.ts";
import type { StoreAccess } from "../engine/engine.ts";
import type { JobCount } from "../ports/query.ts";
import type { FilterOptions, InTransaction } from "../types/list-options.ts";
import { checkJobStatuses } from "./list-queries.ts";
import type { View } from "./views.ts";

type CountOptions = Pick<FilterOptions<JobStatus>, "status"> & InTransaction<unknown>;

const countKeys = { status: true, tx: true } satisfies Record<keyof CountOptions, true>;

/** Counts by type and status, with every status, and how long the oldest ready job has waited. */
export async function countJobs(store: StoreAccess, options: CountOptions = {}): Promise<View> {
  checkKeys(options, countKeys, "countJobs");
  const statuses = checkJobStatuses(options.status);
  return countsByType(await store.state.count({ ...store.callOptions(options.tx), statuses }));
}

/** A type has a row for each of its statuses, and of some statuses one for each version and pool. */
export function countsByType(rows: readonly JobCount[]): View {
  // A type may have a name that every object has: `constructor`, `__proto__`.
  const byType = new Map<string, Record<JobStatus, number> & Ages>();
  for (const { typeName, status, count, oldestReadyMs, limited, oldestLimitedMs } of rows) {
    const counts = byType.get(typeName) ?? { ...noCounts, oldestReadyMs: undefined };
    counts[status] += count;
    counts.oldestReadyMs = longer(counts.oldestReadyMs, oldestReadyMs);
    if (limited !== undefined) {
      counts.limited = (counts.limited ?? 0) + limited;
      counts.oldestLimitedMs = longer(counts.oldestLimitedMs, oldestLimitedMs);
    }
    byType.set(typeName, counts);
  }
  return Object.fromEntries(byType);
}

interface Ages {
  oldestReadyMs: number | undefined;
  limited?: number;
  oldestLimitedMs?: number | undefined;
}

function longer(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}

const noCounts: Readonly<Record<JobStatus, number>> = {
  blocked: 0,
  waiting: 0,
  scheduled: 0,
  ready: 0,
  running: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
};
