import type { Watch } from "../live/watch.ts";
import type { JobStatus } from "../protocol.ts";

/** How many jobs stand in a status, of some types or of all, from what the store keeps count of. */
export async function totalOf(
  watch: Watch,
  status: JobStatus,
  typeNames: readonly string[] | undefined,
): Promise<number> {
  const wanted = typeNames === undefined ? undefined : new Set(typeNames);
  return Object.entries(await watch.counts())
    .filter(([typeName]) => wanted === undefined || wanted.has(typeName))
    .reduce((sum, [, counts]) => sum + (counts?.[status] ?? 0), 0);
}
