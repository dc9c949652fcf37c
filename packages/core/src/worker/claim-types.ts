import type { StoredVersions } from "../checks/stored-versions.ts";
import type { ClaimedJob } from "../model/record.ts";
import type { ClaimType } from "../ports/exchange.ts";
import { claimName } from "../rules/claim-name.ts";
import type { Processor } from "./processor.ts";

/** What a worker claims: each of its types, in each version that its client can read. */
export function claimTypes(
  processors: Iterable<Processor>,
  versions: StoredVersions,
  defaultLeaseMs: number,
): readonly ClaimType[] {
  const types: ClaimType[] = [];
  for (const { typeName, leaseMs = defaultLeaseMs } of processors) {
    types.push({ typeName, leaseMs });
    for (let version = 2; version <= versions.newestInput(typeName); version += 1)
      types.push({ typeName, leaseMs, version });
  }
  return types;
}

/** The name under which workers claim a job; undefined: its type. */
export function otherClaimName(job: Pick<ClaimedJob, "typeName" | "version" | "pool">): string | undefined {
  return job.version === 1 && job.pool === undefined ? undefined : claimName(job);
}
