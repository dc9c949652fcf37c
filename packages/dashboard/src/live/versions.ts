import type { QueuedJobs, WorkerInfo } from "chainwright";
import type { OverviewResponse } from "../protocol/overview.ts";

const mostVersions = 200;
const mostNames = 5;

interface Found {
  readonly queued: readonly QueuedJobs[];
  readonly workers: readonly WorkerInfo[];
}

/** The versions and pools that jobs wait in. A type of which all jobs and workers know one version and no pool is left out. */
export function versionsOf({ queued, workers }: Found): Pick<OverviewResponse, "versions" | "moreVersions"> {
  const named = new Set(
    queued.filter(({ version, pool }) => version > 1 || pool !== undefined).map(({ typeName }) => typeName),
  );
  for (const { versions } of workers) for (const typeName of Object.keys(versions)) named.add(typeName);
  const found = queued.filter(({ typeName }) => named.has(typeName));
  return {
    versions: found.slice(0, mostVersions).map((jobs) => ({
      ...jobs,
      workerNames: workers
        .filter((worker) => claims(worker, jobs))
        .slice(0, mostNames)
        .map(({ name }) => name),
    })),
    moreVersions: Math.max(0, found.length - mostVersions),
  };
}

function claims({ typeNames, pools, versions }: WorkerInfo, { typeName, version, pool }: QueuedJobs): boolean {
  const newest = Object.hasOwn(versions, typeName) ? (versions[typeName] ?? 1) : 1;
  return typeNames.includes(typeName) && pools.includes(pool ?? null) && newest >= version;
}
