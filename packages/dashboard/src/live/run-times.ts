import type { AnyClient, JobCounts } from "chainwright";
import type { DurationView } from "../protocol/overview.ts";
import { firstIdAt, timeOfId } from "../reads/id-time.ts";

const mostJobs = 100;
/** Ended jobs are searched among this many of the newest jobs, and among as many before the oldest waiting one. */
const mostScanned = 1_000;

/** An ended job. */
export interface Run {
  readonly id: string;
  readonly typeName: string;
  readonly endedAt: number;
  readonly ms: number;
}

/** Finds recently ended jobs in a bounded number of rows. */
export async function recentRuns(
  client: AnyClient,
  counts: Readonly<Record<string, JobCounts | undefined>>,
  now: number,
): Promise<readonly Run[]> {
  const newest = await lookFrom(client, undefined);
  // With a long queue all of the newest jobs still wait: the jobs that end now are older than the oldest waiting one.
  const queueStart = queueStartOf(counts, now);
  const isSeen = queueStart === undefined || (newest.lookedTo ?? 0) < queueStart;
  if (newest.runs.length >= mostJobs || isSeen) return newest.runs;
  const seen = new Set(newest.runs.map(({ id }) => id));
  const before = await lookFrom(client, firstIdAt(queueStart));
  return [...newest.runs, ...before.runs.filter(({ id }) => !seen.has(id))];
}

/** When the oldest ready job of the longest queue became ready. */
function queueStartOf(counts: Readonly<Record<string, JobCounts | undefined>>, now: number): number | undefined {
  const queues = Object.values(counts).filter((count) => count !== undefined);
  const longest = queues.reduce<JobCounts | undefined>(
    (most, count) => (count.ready > (most?.ready ?? 0) ? count : most),
    undefined,
  );
  return longest?.oldestReadyMs === undefined ? undefined : now - longest.oldestReadyMs;
}

async function lookFrom(client: AnyClient, cursor: string | undefined) {
  const page = await client.listJobs({
    status: ["completed", "failed"],
    cursor,
    limit: mostJobs,
    maxScanned: mostScanned,
    mostPayloadBytes: 0,
  });
  const runs = page.items.flatMap(({ id, typeName, startedAt, endedAt }): Run[] =>
    startedAt === undefined || endedAt === undefined
      ? []
      : [{ id, typeName, endedAt: endedAt.getTime(), ms: Math.max(0, endedAt.getTime() - startedAt.getTime()) }],
  );
  return { runs, lookedTo: page.nextCursor === undefined ? undefined : timeOfId(page.nextCursor) };
}

/** How long jobs ran, by type. */
export function durationsOf(runs: readonly Run[]): ReadonlyMap<string, DurationView> {
  const byType = Map.groupBy(runs, ({ typeName }) => typeName);
  return new Map(
    Array.from(byType, ([typeName, ofType]) => [
      typeName,
      { ...quantilesOf(ofType.map(({ ms }) => ms)), samples: ofType.length },
    ]),
  );
}

export function quantilesOf(times: readonly number[]): Pick<DurationView, "p50Ms" | "p95Ms"> {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50Ms: at(0.5), p95Ms: at(0.95) };
}
