import type { StoredVersions } from "../checks/stored-versions.ts";
import type { ClaimedJob } from "../model/record.ts";
import type { ClaimType } from "../ports/exchange.ts";
import { claimName } from "../model/claim-name.ts";
import type { Processor } from "./processor.ts";

interface Claiming {
  /** The pools that it serves; null: jobs without a pool. */
  readonly pools: readonly (string | null)[];
  readonly defaultLeaseMs: number;
}

/** What a worker claims: each of its types, in each pool that it serves and each version that its client can read. */
export function claimTypes(
  processors: Iterable<Pick<Processor, "typeName" | "leaseMs">>,
  versions: StoredVersions,
  { pools, defaultLeaseMs }: Claiming,
): readonly ClaimType[] {
  const types: ClaimType[] = [];
  for (const { typeName, leaseMs = defaultLeaseMs } of processors) {
    for (const pool of pools) {
      const inPool = pool === null ? { typeName, leaseMs } : { typeName, leaseMs, pool };
      types.push(inPool);
      for (let version = 2; version <= versions.newestInput(typeName); version += 1) types.push({ ...inPool, version });
    }
  }
  return types;
}

/** The name under which workers claim a job; undefined: its type. */
export function otherClaimName(job: Pick<ClaimedJob, "typeName" | "version" | "pool">): string | undefined {
  return job.version === 1 && job.pool === undefined ? undefined : claimName(job);
}
