import {
  claimName,
  splitClaimName,
  type Claim,
  type ClaimedBlocker,
  type ClaimedJob,
  type ClaimedLimit,
} from "chainwright/adapter";
import { arrayOf, textArrayOf } from "../array-parameter.ts";
import type { ClaimFound } from "../claim-found.ts";
import type { ResultRow } from "../result-rows.ts";
import type { StoredLimits } from "../limits/stored-limits.ts";
import { receivedOf, type StoredReceived, type StoredWait } from "../signals/stored-waits.ts";
import { claimedNotesOf, type StoredNotes } from "../notes/stored-notes.ts";
import type { FunctionCall } from "../store.ts";

/** `start` is where the claim begins to look, see `createClaimStart`; null: at the beginning. */
export function claimCall(claim: Claim, start: string | null): FunctionCall {
  const { workerId, types, limit, startable, limited = false } = claim;
  const [typeNames, leases] = [types.map(claimName), types.map(({ leaseMs }) => leaseMs)];
  const parameters = [workerId, textArrayOf(typeNames), arrayOf(leases), String(limit), start];
  if (startable === undefined && !limited) return { name: "claim_v1", parameters };
  const most = startable === undefined ? null : String(startable);
  return { name: "claim_v2", parameters: [...parameters, most, limited ? "1" : null] };
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
  const more = moreByJob(rows);
  let nextDueInMs: number | undefined;
  let found: ClaimFound | undefined;
  for (const row of rows) {
    if (row.kind === "claimed") {
      claimed.push(claimedJobOf(row, blockers.get(row.jobId) ?? [], more.get(row.jobId)));
    } else if (row.kind === "nextDue") nextDueInMs = Math.max(0, Math.min(nextDueInMs ?? Infinity, row.dueInMs));
    else if (row.kind === "claimStart") found = JSON.parse(row.found) as ClaimFound;
  }
  return { claimed, nextDueInMs, found };
}

function claimedJobOf(
  row: ResultRow<"claimed">,
  blockers: readonly ClaimedBlocker[],
  more: ClaimedMore | undefined,
): ClaimedJob {
  const { typeName, version, pool } = splitClaimName(row.typeName);
  // Without a spread, which is slower: this runs for every job.
  const job: ClaimedJob = {
    id: row.jobId,
    chainId: row.chainId,
    typeName,
    version,
    pool,
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
  return more === undefined ? job : { ...job, ...more };
}

type ClaimedMore = Pick<ClaimedJob, "limits" | "received" | "collect" | "memos" | "checkpoint">;

function moreByJob(rows: readonly ResultRow[]): ReadonlyMap<string, ClaimedMore> {
  const byJob = new Map<string, ClaimedMore>();
  for (const row of rows) {
    if (row.kind !== "triggered") continue;
    const known = byJob.get(row.jobId);
    byJob.set(row.jobId, known === undefined ? moreOf(row) : { ...known, ...moreOf(row) });
  }
  return byJob;
}

/** See `claimedMore` and `returnNotes`. */
function moreOf({ more = "[]" }: ResultRow<"triggered">): ClaimedMore {
  const [limits, probes, received, waits, notes] = JSON.parse(more) as readonly [
    limits: StoredLimits | null,
    probes: readonly string[] | null,
    received: StoredReceived | null,
    waits: StoredWait | null,
    notes?: StoredNotes,
  ];
  return {
    ...(limits && { limits: claimedLimitsOf(limits, new Set(probes)) }),
    ...(received && { received: receivedOf(received) }),
    ...(waits?.collect && { collect: waits.collect }),
    ...(notes && claimedNotesOf(notes)),
  };
}

function claimedLimitsOf({ keys }: StoredLimits, probes: ReadonlySet<string>): readonly ClaimedLimit[] {
  return keys.map(([limit, key]) => (probes.has(limit) ? { limit, key, isProbe: true } : { limit, key }));
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
