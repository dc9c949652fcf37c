import type { JobStatus } from "../model/status.ts";
import { checkKeys } from "../checks/check-options.ts";
import type { StoreAccess } from "../engine/engine.ts";
import type { InTransaction } from "../types/list-options.ts";
import type { View } from "./views.ts";

const countKeys = { tx: true } satisfies Record<keyof InTransaction<unknown>, true>;

/** Counts by type and status, with every status, and how long the oldest ready job has waited. */
export async function countJobs(store: StoreAccess, options: InTransaction<unknown> = {}): Promise<View> {
  checkKeys(options, countKeys, "countJobs");
  // A type may have a name that every object has: `constructor`, `__proto__`.
  const byType = new Map<string, Record<string, number | undefined>>();
  for (const counted of await store.state.count(store.callOptions(options.tx))) {
    const { typeName, status, count, oldestReadyMs, limited, oldestLimitedMs } = counted;
    const counts = byType.get(typeName) ?? { ...noCounts, oldestReadyMs: undefined };
    counts[status] = count;
    if (oldestReadyMs !== undefined) counts["oldestReadyMs"] = oldestReadyMs;
    if (limited !== undefined) Object.assign(counts, { limited, oldestLimitedMs });
    byType.set(typeName, counts);
  }
  return Object.fromEntries(byType);
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
