import { claimName, rules } from "chainwright/adapter";
import type {
  Claim,
  ClaimedBlocker,
  ClaimedJob,
  ExchangeReply,
  ExchangeRequest,
  RenewRequest,
  UnrenewedLease,
} from "chainwright/adapter";
import type { Data, Job } from "./data.ts";
import { chainsOf, lastJobOf, leasedJob, readySince, statusAt } from "./jobs.ts";
import { withoutPaused } from "./pauses.ts";
import { createRows } from "./rows.ts";

type Asked = ReturnType<typeof withoutPaused>;

/** Settles outcomes, continues a release, and claims, in this order. */
export function exchange(data: Data, { outcomes, claim }: ExchangeRequest, now: number): ExchangeReply {
  const rows = createRows(data);
  const settled = rules.settle(rows, outcomes, now);
  const released = rules.carryOn(rows, now);
  if (claim === undefined) return { settled, released, claimed: [], nextDueInMs: undefined };
  const asked = withoutPaused(data, claim, now);
  const claimed = claimJobs(data, asked.claim, now);
  const isFilled = claimed.length >= claim.limit;
  return { settled, released, claimed, nextDueInMs: isFilled ? undefined : nextDueInMs(data, asked, now) };
}

/** The highest priority first, then in the order of the types that are asked for, then the oldest. */
function claimJobs(data: Data, { workerId, types, limit }: Claim, now: number): ClaimedJob[] {
  const placeOf = new Map(types.map((type, index) => [claimName(type), index]));
  const place = (job: Job) => placeOf.get(claimName(job)) ?? -1;
  return [...data.jobs.values()]
    .filter((job) => place(job) >= 0 && statusAt(job, now) === "ready")
    .toSorted((a, b) => b.priority - a.priority || place(a) - place(b) || a.position - b.position)
    .slice(0, limit)
    .map((job) => {
      const waitedMs = Math.max(0, now - readySince(job));
      job.status = "running";
      job.lease = { workerId, startedAt: now, until: now + (types[place(job)]?.leaseMs ?? 0) };
      job.attempt += 1;
      job.fence += 1;
      return toClaimedJob(data, job, waitedMs);
    });
}

function toClaimedJob(data: Data, job: Job, waitedMs: number): ClaimedJob {
  const { id, chainId, typeName, version, pool, step, priority, input, attempt, fence, errors, createdAt, context } =
    job;
  const blockers = chainsOf(data, job.blocking?.chainIds ?? []).map((chain) => toClaimedBlocker(data, chain));
  return {
    id,
    chainId,
    typeName,
    version,
    pool,
    step,
    priority,
    input,
    attempt,
    fence,
    errors,
    createdAt,
    context,
    waitedMs,
    blockers,
  };
}

function toClaimedBlocker(data: Data, chain: Job): ClaimedBlocker {
  const { id: chainId, typeName, input, version, createdAt, context } = chain;
  const { output = "null", outputVersion, endedAt = 0 } = lastJobOf(data, chain);
  return { chainId, typeName, input, version, output, outputVersion, createdAt, endedAt, context };
}

/** Milliseconds until the next of these jobs is due, the next of their leases runs out, or the next pause ends. */
function nextDueInMs(data: Data, { claim: { types }, endsAt }: Asked, now: number): number | undefined {
  const names = new Set(types.map(claimName));
  let next = endsAt;
  for (const job of data.jobs.values()) {
    if (!names.has(claimName(job))) continue;
    const status = statusAt(job, now);
    if (status === "scheduled" || status === "running") next = Math.min(next, readySince(job));
  }
  return next === Infinity ? undefined : Math.max(0, next - now);
}

export function renew(data: Data, { workerId, held }: RenewRequest, now: number): UnrenewedLease[] {
  return held.flatMap(({ jobId, fence: number, leaseMs }) => {
    const fence = { jobId, workerId, fence: number };
    const job = leasedJob(data, fence);
    if (job?.lease === undefined) return [{ fence, reason: rules.lostReason(createRows(data), jobId, now) }];
    job.lease = { ...job.lease, until: now + leaseMs };
    return [];
  });
}
