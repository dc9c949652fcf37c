import type { AnyClient } from "chainwright";
import type { DurationView } from "../protocol.ts";

const mostJobs = 100;
/** Among so many of the newest jobs those that have ended are looked for. */
const mostScanned = 1_000;

/** Run times of jobs that ended lately, by type. */
export async function recentDurations(client: AnyClient): Promise<ReadonlyMap<string, DurationView>> {
  const { items } = await client.listJobs({
    status: ["completed", "failed"],
    limit: mostJobs,
    maxScanned: mostScanned,
  });
  const ran = items.flatMap(({ typeName, startedAt, endedAt }) =>
    startedAt === undefined || endedAt === undefined
      ? []
      : [{ typeName, ms: Math.max(0, endedAt.getTime() - startedAt.getTime()) }],
  );
  const byType = Map.groupBy(ran, ({ typeName }) => typeName);
  return new Map(Array.from(byType, ([typeName, jobs]) => [typeName, durationOf(jobs.map(({ ms }) => ms))]));
}

function durationOf(times: readonly number[]): DurationView {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50Ms: at(0.5), p95Ms: at(0.95), samples: sorted.length };
}
