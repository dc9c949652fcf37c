import type { EndedStatus, Waiting } from "chainwright/adapter";
import type { Data, Job, Release } from "./data.ts";
import { byId, chainWith, dependentsOf } from "./jobs.ts";

/** Looks at up to `limit` of the jobs that wait for a chain that ends now. */
export function waitingFor(
  data: Data,
  { chain, status }: { readonly chain: Job; readonly status: EndedStatus },
  limit: number,
): Waiting<Job, Job> {
  const jobIds = dependentsOf(data, chain.id).map(({ id }) => id);
  return lookFrom(data, chain, { chainId: chain.id, status, jobIds, since: data.sequence }, limit);
}

/** The same for a stored release. */
export function look(data: Data, release: Release, limit: number): Waiting<Job, Job> | undefined {
  const chain = chainWith(data, release.chainId);
  return chain && lookFrom(data, chain, release, limit);
}

function lookFrom(data: Data, chain: Job, release: Release, limit: number): Waiting<Job, Job> {
  const { status, jobIds, since } = release;
  const jobs = jobIds
    .slice(0, limit)
    .flatMap((id) => data.jobs.get(id) ?? [])
    // One that was blocked again after the end of the chain has not counted it.
    .filter((job) => job.status === "blocked" && (job.blocking?.countedAt ?? 0) <= since)
    .toSorted(byId)
    .map((job) => {
      const { onBlockerFailure, readyAt: dueAt } = job;
      return { job, onBlockerFailure, dueAt, blockersLeft: job.blocking?.left ?? 0 };
    });
  const rest = jobIds.slice(limit);
  if (rest.length > 0) data.releases.push({ ...release, jobIds: rest });
  return { chain, status, jobs, looked: jobIds.length - rest.length, isCut: rest.length > 0 };
}
