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
import { breakerOf, opensAt, saidOf, spendTokens } from "./gates.ts";
import { chainsOf, lastJobOf, leasedJob, readySince, statusAt } from "./jobs.ts";
import { isInLane, looksAtLanes, nextInLanes, rankOf, takeTurn } from "./lanes.ts";
import { claimedNotes } from "./notes.ts";
import { withoutPaused } from "./pauses.ts";
import { createRows } from "./rows.ts";

type Asked = ReturnType<typeof withoutPaused>;

/** Settles outcomes, continues a release, and claims, in this order. */
export function exchange(data: Data, { outcomes, claim }: ExchangeRequest, now: number): ExchangeReply {
  const rows = createRows(data);
  const settled = rules.settle(rows, outcomes, now);
  const released = rules.carryOn(rows, now);
  promoteWaits(data, now);
  if (claim === undefined) return { settled, released, claimed: [], nextDueInMs: undefined };
  const { expired, nextInMs } = claim.deadlines === true ? rules.expireDeadlines(rows, now) : noExpiry;
  const parts = rules.claimParts(claim).map((part) => claimPart(data, part, now));
  const claimed = parts.flatMap((part) => part.claimed);
  const nexts = parts.map((part) => (part.isFilled ? Infinity : Math.min(part.nextInMs, nextInMs ?? Infinity)));
  const next = Math.min(...nexts);
  return { settled, released, claimed, expired, nextDueInMs: next === Infinity ? undefined : next };
}

/** Claims the types with a common limit. */
function claimPart(data: Data, claim: Claim, now: number) {
  const asked = withoutPaused(data, claim, now);
  const looks = looksAtLanes(data, claim.limited === true, now);
  const claimed = claimJobs(data, asked.claim, { looks, now });
  const lanes = looks ? waitingInLanes(data, asked, now) : [];
  const nextInMs = nextDueInMs(data, asked, { lanes, now }) ?? Infinity;
  return { claimed, nextInMs, isFilled: claimed.length >= claim.limit };
}

const noExpiry = { expired: undefined, nextInMs: undefined };

/** A wait whose time is over ends here, so that no signal can end it any more. */
function promoteWaits(data: Data, now: number): void {
  for (const job of data.jobs.values()) {
    if (job.status === "waiting" && statusAt(job, now) === "ready") job.status = "ready";
  }
}

/** The highest priority first, then in the order of the types that are asked for, then the oldest. Jobs with and without limits take turns. */
function claimJobs(
  data: Data,
  { workerId, types, limit, startable = limit }: Claim,
  { looks, now }: { readonly looks: boolean; readonly now: number },
): ClaimedJob[] {
  const placeOf = new Map(types.map((type, index) => [claimName(type), index]));
  const place = (job: Job) => placeOf.get(claimName(job)) ?? -1;
  const ready = [...data.jobs.values()].filter((job) => place(job) >= 0 && statusAt(job, now) === "ready");
  const plain = ready
    .filter((job) => !isInLane(job, now))
    .toSorted((a, b) => b.priority - a.priority || place(a) - place(b) || a.position - b.position);
  const inLanes = ready.filter((job) => isInLane(job, now));
  const claimed: ClaimedJob[] = [];
  let left = looks ? startable : 0;
  while (claimed.length < limit) {
    const limited = left > 0 ? nextInLanes(data, inLanes, now) : undefined;
    const job = isLimitedFirst(data, limited, plain[0]) ? limited : plain.shift();
    if (job === undefined) break;
    if (job === limited) {
      left -= 1;
      begin(data, job, now);
    }
    data.limits.wasLast = job === limited;
    const waitedMs = Math.max(0, now - readySince(job));
    job.status = "running";
    job.lease = { workerId, startedAt: now, until: now + (types[place(job)]?.leaseMs ?? 0) };
    job.attempt += 1;
    job.fence += 1;
    claimed.push(toClaimedJob(data, job, waitedMs));
  }
  return claimed;
}

function isLimitedFirst(data: Data, limited: Job | undefined, plain: Job | undefined): boolean {
  if (limited === undefined || plain === undefined) return limited !== undefined;
  return rankOf(limited) === plain.priority ? !data.limits.wasLast : rankOf(limited) > plain.priority;
}

/** It takes its places, a turn of its lane and a token of each rate. */
function begin(data: Data, job: Job, now: number): void {
  takeTurn(data, job);
  spendTokens(data, job, now);
  job.hasPlaces = true;
  for (const { limit, key } of job.limits ?? []) {
    const said = saidOf(data, limit, key);
    const breaker = rules.withProbe(said?.breaker, job.id);
    if (said !== undefined && breaker !== undefined) said.breaker = breaker;
  }
}

function waitingInLanes(data: Data, { claim: { types } }: Asked, now: number): Job[] {
  const names = new Set(types.map(claimName));
  return [...data.jobs.values()].filter((job) => names.has(claimName(job)) && isInLane(job, now));
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
    limits: job.limits?.map(({ limit, key }) => {
      const state = breakerOf(data, { limit, key });
      return state?.kind === "opened" && state.probe === id ? { limit, key, isProbe: true } : { limit, key };
    }),
    received: job.wait?.received,
    collect: job.wait?.collect,
    ...claimedNotes(job),
    blockers,
  };
}

function toClaimedBlocker(data: Data, chain: Job): ClaimedBlocker {
  const { id: chainId, typeName, input, version, createdAt, context } = chain;
  const { output = "null", outputVersion, endedAt = 0 } = lastJobOf(data, chain);
  return { chainId, typeName, input, version, output, outputVersion, createdAt, endedAt, context };
}

/** Milliseconds until the next of these jobs is due, the next of their leases runs out, a pause ends or a key opens for its lane. */
function nextDueInMs(
  data: Data,
  { claim: { types }, endsAt }: Asked,
  { lanes, now }: { readonly lanes: readonly Job[]; readonly now: number },
): number | undefined {
  const names = new Set(types.map(claimName));
  let next = endsAt;
  for (const job of data.jobs.values()) {
    if (!names.has(claimName(job))) continue;
    const status = statusAt(job, now);
    if (status === "waiting") next = Math.min(next, job.wait?.until ?? next);
    if (status === "scheduled" || status === "running") next = Math.min(next, readySince(job));
  }
  for (const { limits = [] } of lanes) for (const key of limits) next = Math.min(next, opensAt(data, key, now) ?? next);
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
