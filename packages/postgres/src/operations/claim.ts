import { claimName, splitClaimName, type Claim, type ClaimedBlocker, type ClaimedJob } from "chainwright/adapter";
import type { ClaimFound } from "../claim-start.ts";
import type { ResultRow } from "../result-rows.ts";
import type { FunctionCall } from "../store.ts";

/** `start` is where the claim begins to look, see `createClaimStart`; null: at the beginning. */
export function claimCall({ workerId, types, limit }: Claim, start: string | null): FunctionCall {
  const [typeNames, leases] = [types.map(claimName), types.map(({ leaseMs }) => leaseMs)];
  return {
    name: "claim_v1",
    parameters: [workerId, JSON.stringify(typeNames), `{${leases.join(",")}}`, String(limit), start],
  };
}

export interface Claimed {
  readonly claimed: readonly ClaimedJob[];
  readonly nextDueInMs: number | undefined;
  /** Where the next claims may begin to look; undefined unless this one had to skip many rows. */
  readonly found: ClaimFound | undefined;
}

export function claimedOf(rows: readonly ResultRow[]): Claimed {
  const claimed: ClaimedJob[] = [];
  const blockers = blockersByJob(rows);
  let nextDueInMs: number | undefined;
  let found: ClaimFound | undefined;
  for (const row of rows) {
    if (row.kind === "claimed") claimed.push(claimedJobOf(row, blockers.get(row.jobId) ?? []));
    else if (row.kind === "nextDue") nextDueInMs = Math.max(0, row.dueInMs);
    else if (row.kind === "claimStart") found = JSON.parse(row.found) as ClaimFound;
  }
  return { claimed, nextDueInMs, found };
}

function claimedJobOf(row: ResultRow<"claimed">, blockers: readonly ClaimedBlocker[]): ClaimedJob {
  return {
    id: row.jobId,
    chainId: row.chainId,
    ...splitClaimName(row.typeName),
    step: row.step,
    priority: row.priority,
    input: row.input,
    attempt: row.attempt,
    fence: row.fence,
    errors: row.errors,
    createdAt: row.createdAt,
    waitedMs: Math.max(0, row.waitedMs),
    context: row.context,
    blockers,
  };
}

function blockersByJob(rows: readonly ResultRow[]): ReadonlyMap<string, readonly ClaimedBlocker[]> {
  const blockers = new Map<string, ClaimedBlocker[]>();
  for (const row of rows) {
    if (row.kind !== "blocker") continue;
    const { chainId, typeName, input = "", output = "", createdAt, endedAt, context } = row;
    const { version = 1, outputVersion = 1 } = row;
    const own = blockers.get(row.jobId) ?? [];
    own.push({ chainId, typeName, input, version, output, outputVersion, createdAt, endedAt, context });
    blockers.set(row.jobId, own);
  }
  return blockers;
}
