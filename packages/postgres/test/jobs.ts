import { randomUUID } from "node:crypto";
import type { StateAdapter } from "chainwright";
import type { ClaimedJob, JobStart, Outcome } from "chainwright/adapter";

/** A plain start. */
export function job(typeName: string, details: Partial<JobStart> = {}): JobStart {
  return {
    id: randomUUID(),
    typeName,
    input: '{"order":"1"}',
    priority: 0,
    schedule: undefined,
    blockers: [],
    onBlockerFailure: "fail",
    deduplication: undefined,
    context: undefined,
    ...details,
  };
}

export function jobs(count: number, typeName: string, details: Partial<JobStart> = {}): JobStart[] {
  return Array.from({ length: count }, () => job(typeName, details));
}

export const workerId = "worker";

export function claimOf(typeNames: readonly string[], limit: number) {
  return { workerId, types: typeNames.map((typeName) => ({ typeName, leaseMs: 30_000 })), limit };
}

export async function claim<Tx>(store: StateAdapter<Tx>, typeNames: readonly string[], limit: number) {
  return (await store.exchange({ outcomes: [], claim: claimOf(typeNames, limit) }, {})).claimed;
}

export function completed({ id, fence }: ClaimedJob, by = workerId): Outcome {
  return { target: { jobId: id, workerId: by, fence }, kind: "completed", output: "true" };
}
