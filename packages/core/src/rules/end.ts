import { blockerFailureErrors } from "../model/blocker-failure.ts";
import type { Consequences, JobRef, StartedJob, UnusedSignals } from "../ports/reply.ts";
import { passOn, startFollowUps } from "./follow-ups.ts";
import { freeKeyAtEnd } from "./key.ts";
import { noConsequences, nothing, waitingJob } from "./replies.ts";
import type { Dependent, EndedStatus, Failure, Handle, Rows, Waiting } from "./rows.ts";

/*
 * What happens when a chain ends.
 *
 * - Its deduplication key is free, if the key has scope `active`.
 * - If it completed, each job that waits for it has one blocker less. A job that waits for no other chain is ready then, or
 *   scheduled if it is not due yet.
 * - If it failed or was cancelled, each job that waits for it fails, and so does that job's chain, so that the same happens to
 *   the jobs that wait for that one, and so on. A job with `onBlockerFailure: "wait"` stays blocked: the chain may be retried.
 *
 * What starts because it stopped, see `follow-ups.ts`.
 *
 * If a process awaits the end of such a chain, the call reports it, so that the end is announced.
 *
 * Any number of jobs can wait for a chain. One call looks at a bounded number of them, and the store keeps the rest as a
 * release, which later exchanges carry on: see `release.ts`. Until then these jobs stay blocked.
 */

/** How many waiting jobs a call still looks at. */
export interface Budget {
  left: number;
}

/** 500 take about 1 ms in process, and 3 ms on SQLite. */
const mostAtOnce = 500;

export function createBudget(): Budget {
  return { left: mostAtOnce };
}

/** What the ends of one call share. */
export interface EndCall {
  readonly budget: Budget;
  readonly now: number;
}

/** A chain that has ended, with its status from then on: the handle may be older. */
interface Ended<Chain> {
  readonly chain: Chain;
  readonly status: EndedStatus;
}

/** Filled as it happens. */
export interface Effects extends Consequences {
  readonly unblocked: StartedJob[];
  readonly failed: JobRef[];
  awaited?: string[];
  unused?: UnusedSignals[];
  followUps?: StartedJob[];
  releasing: boolean;
}

export function createEffects(): Effects {
  return { unblocked: [], failed: [], reblocked: nothing, releasing: false };
}

/** What follows from the end of a chain that the caller has written. */
export function followEnd<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  ended: Ended<Chain>,
  call: EndCall,
): Consequences {
  const followUps = followUpsOf(rows, ended, call.now);
  const isAwaited = rows.isAwaited(ended.chain);
  const count = rows.countUntaken(ended.chain);
  if (followUps.length === 0 && !isAwaited && count === 0 && !rows.isReferenced(ended.chain)) {
    freeKeyAtEnd(rows, ended.chain);
    return noConsequences;
  }
  const effects = createEffects();
  addFollowUps(effects, followUps);
  if (count > 0) effects.unused = [{ chainId: ended.chain.id, count }];
  releaseEnd(rows, ended, { ...call, effects });
  return effects;
}

/** The same without the chains that its stop starts. */
export function releaseEnd<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  ended: Ended<Chain>,
  { budget, effects, now }: EndCall & { readonly effects: Effects },
): void {
  freeKeyAtEnd(rows, ended.chain);
  if (rows.isAwaited(ended.chain)) (effects.awaited ??= []).push(ended.chain.id);
  releaseFrom(rows, [ended], { budget, effects, now });
}

function followUpsOf<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  { chain, status }: Ended<Chain>,
  now: number,
): readonly StartedJob[] {
  return status === "completed" ? passOn(rows, chain, now) : startFollowUps(rows, chain, now);
}

function addFollowUps(effects: Effects, followUps: readonly StartedJob[]): void {
  if (followUps.length > 0) (effects.followUps ??= []).push(...followUps);
}

/** What follows for some waiting jobs of a chain that ended before. */
export function followRelease<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  waiting: Waiting<Job, Chain>,
  following: EndCall & { readonly effects: Effects },
): void {
  const queue: Ended<Chain>[] = [];
  following.budget.left -= waiting.looked;
  releaseEach(rows, waiting, { ...following, queue });
  releaseFrom(rows, queue, following);
}

/** `queue` grows while it is walked, by the chains that fail: a loop and not a recursion, because the way up may be long. */
function releaseFrom<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  queue: Ended<Chain>[],
  { budget, effects, now }: EndCall & { readonly effects: Effects },
): void {
  for (const { chain, status } of queue) {
    if (!rows.isReferenced(chain)) continue;
    const waiting = rows.waitingFor(chain, status, budget.left);
    budget.left -= waiting.looked;
    effects.releasing ||= waiting.isCut;
    releaseEach(rows, waiting, { queue, effects, now });
  }
}

interface Releasing<Chain> {
  readonly queue: Ended<Chain>[];
  readonly effects: Effects;
  readonly now: number;
}

function releaseEach<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  { chain, status, jobs }: Waiting<Job, Chain>,
  { queue, effects, now }: Releasing<Chain>,
): void {
  for (const dependent of jobs) {
    if (status === "completed") countDown(rows, dependent, { effects, now });
    else if (dependent.onBlockerFailure === "fail") {
      const failed = failBlocked(rows, dependent.job, { failure: failureOf(rows, { chain, status }, now), now });
      effects.failed.push({
        jobId: dependent.job.id,
        chainId: failed.chain.id,
        typeName: rows.typeNameOf(dependent.job),
      });
      addFollowUps(effects, startFollowUps(rows, failed.chain, now));
      if (rows.isAwaited(failed.chain)) (effects.awaited ??= []).push(failed.chain.id);
      const count = rows.countUntaken(failed.chain);
      if (count > 0) (effects.unused ??= []).push({ chainId: failed.chain.id, count });
      queue.push(failed);
    }
  }
}

function countDown<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  { job, blockersLeft, dueAt }: Dependent<Job>,
  { effects, now }: { readonly effects: Effects; readonly now: number },
): void {
  const left = blockersLeft - 1;
  if (left > 0) {
    rows.countDown(job, left);
    return;
  }
  rows.unblock(job, Math.max(dueAt, now), now);
  const isScheduled = dueAt > now;
  const status = isScheduled ? "scheduled" : "ready";
  effects.unblocked.push(waitingJob(rows, job, { status, dueInMs: isScheduled ? dueAt - now : undefined }));
}

/** Fails a blocked job and its chain, of which it is the last job. */
function failBlocked<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  job: Job,
  { failure, now }: { readonly failure: Failure<Chain>; readonly now: number },
): Ended<Chain> {
  const chain = rows.chainOf(job);
  rows.end(job, chain, {
    status: "failed",
    output: undefined,
    outputVersion: undefined,
    errors: failure.errors,
    reason: undefined,
    failedBy: failure.by,
    by: "other",
    now,
  });
  freeKeyAtEnd(rows, chain);
  return { chain, status: "failed" };
}

/** Why a job fails whose blockers are these: because of the first one that failed or was cancelled. Undefined: it does not. */
export function failureBecauseOf<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  blockers: readonly Chain[],
  at: number,
): Failure<Chain> | undefined {
  for (const chain of blockers) {
    const status = rows.chainStatusOf(chain);
    if (status === "failed" || status === "cancelled") return failureOf(rows, { chain, status }, at);
  }
  return undefined;
}

function failureOf<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  { chain, status }: { readonly chain: Chain; readonly status: "failed" | "cancelled" },
  at: number,
): Failure<Chain> {
  const typeName = rows.typeNameOf(chain);
  return { by: chain, errors: blockerFailureErrors({ chainId: chain.id, typeName, status, at }) };
}
