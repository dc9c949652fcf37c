import { chainStatusOf, lastOf, openBlockers } from "./rows.ts";
import type { JobRow } from "./rows.ts";

/** The ids of the chains on the way from a chain over these blockers back to itself; undefined: there is no such way. */
export function findCycle(chain: JobRow, blockers: readonly JobRow[]): string[] | undefined {
  const reachedFrom = new Map<JobRow, JobRow | undefined>();
  for (const blocker of openBlockers(blockers)) reachedFrom.set(blocker, undefined);
  // Grows while it is walked.
  for (const [reached] of reachedFrom) {
    if (reached === chain) return wayTo(chain, reachedFrom);
    const { blocking } = lastOf(reached);
    if (blocking === undefined || chainStatusOf(reached) === "completed") continue;
    for (const blocker of openBlockers(blocking.chains)) {
      if (!reachedFrom.has(blocker)) reachedFrom.set(blocker, reached);
    }
  }
  return undefined;
}

function wayTo(chain: JobRow, reachedFrom: ReadonlyMap<JobRow, JobRow | undefined>): string[] {
  const way = [chain.id];
  for (let at = reachedFrom.get(chain); at !== undefined; at = reachedFrom.get(at)) way.unshift(at.id);
  way.unshift(chain.id);
  return way;
}
