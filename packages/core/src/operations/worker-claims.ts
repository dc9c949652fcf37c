import type { ClaimKey } from "../model/claim-name.ts";
import type { WorkerRecord } from "../model/record.ts";

/** The newest version of a type that a worker reads. A type may have a name that every object has. */
export function newestVersionOf({ versions }: WorkerRecord, typeName: string): number {
  return Object.hasOwn(versions, typeName) ? (versions[typeName] ?? 1) : 1;
}

/** Whether a worker claims jobs of this type, version and pool. */
export function claimsJobsOf(worker: WorkerRecord, { typeName, version = 1, pool }: ClaimKey): boolean {
  return (
    worker.typeNames.includes(typeName) &&
    worker.pools.includes(pool ?? null) &&
    newestVersionOf(worker, typeName) >= version
  );
}
