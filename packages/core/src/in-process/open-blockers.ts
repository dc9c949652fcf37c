import { chainStatusOf } from "./row-types.ts";
import type { JobRow } from "./row-types.ts";

/** The blocker chains of a job that are not completed, each once, in position order. */
export function openBlockers(blockers: readonly (JobRow | undefined)[]): JobRow[] {
  const open = new Set<JobRow>();
  for (const chain of blockers) if (chain !== undefined && chainStatusOf(chain) !== "completed") open.add(chain);
  return [...open];
}
