import type { Watch } from "../live/watch.ts";
import type { JobStatus } from "../protocol/views.ts";

/** Returns how many jobs have one of the statuses, for the given types or for all, from the store's counters. */
export async function totalOf(
  watch: Watch,
  statuses: readonly JobStatus[],
  typeNames: readonly string[] | undefined,
): Promise<number> {
  const wanted = typeNames === undefined ? undefined : new Set(typeNames);
  return Object.entries(await watch.counts(statuses))
    .filter(([typeName]) => wanted === undefined || wanted.has(typeName))
    .flatMap(([, counts]) => statuses.map((status) => counts?.[status] ?? 0))
    .reduce((sum, count) => sum + count, 0);
}
