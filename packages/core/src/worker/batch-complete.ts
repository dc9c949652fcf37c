import type { LostReason } from "../model/outcome.ts";
import type { Engine } from "../engine/engine.ts";
import { lostError } from "../model/lost-error.ts";
import { handlerResultError } from "../checks/handler-result-error.ts";
import { invalid, show } from "../checks/check-options.ts";
import type { continueWith } from "../operations/continuation.ts";
import { acceptSettleReplies } from "../operations/settle.ts";
import { retryConflicts } from "../timing/retry-conflicts.ts";
import type { Attempt, AttemptResult } from "./attempt.ts";
import { checkLife, stopLife, type AttemptLife } from "./attempt-life.ts";
import { transact } from "./attempt-transaction.ts";
import { checkEntries, readEntry } from "./batch-entry.ts";
import { otherClaimName } from "./claim-types.ts";
import type { FailedAttempt } from "./failure-outcome.ts";
import { completedResult, continuing, refuseLostContinuations, type CompletedResult } from "./handler-result.ts";
import type { ShownJob } from "./shown-job.ts";

/** A job of a batch. */
export interface Member extends Attempt, FailedAttempt {
  readonly shown: ShownJob;
  stopReason: FailedAttempt["stopReason"];
  /** Set by `complete`: its job is settled, or is no longer this worker's. */
  ended: AttemptResult | undefined;
  /** Undefined while the handler has it. */
  result: AttemptResult | undefined;
}

export interface BatchCompletion {
  readonly engine: Engine;
  readonly life: AttemptLife;
  readonly members: readonly Member[];
  phase: "begun" | "completing" | "settled" | "failed";
  /** The jobs of the transaction under way. */
  inside: ReadonlySet<Member>;
  ended: Promise<void> | undefined;
}

export type BatchCallback = (scope: {
  readonly tx: unknown;
  readonly jobs: readonly ShownJob[];
  readonly continueWith: typeof continueWith;
}) => unknown;

/** Jobs that were lost: what the transaction wrote rolls back. */
class LostMembers extends Error {
  readonly lost: ReadonlyMap<Member, LostReason>;

  constructor(lost: ReadonlyMap<Member, LostReason>) {
    super("jobs of the batch are lost");
    this.lost = lost;
  }
}

/**
 * Ends all jobs of a batch in one transaction with what the callback writes. If a job is no longer this worker's, everything rolls back,
 * and the callback is called again without that job.
 */
export async function completeBatch(batch: BatchCompletion, callback: BatchCallback): Promise<CompletedResult> {
  const { life } = batch;
  if (batch.phase !== "begun") throw handlerResultError(life.job.typeName, "called complete twice; call it once");
  if (typeof callback !== "function")
    throw invalid(`complete must get a callback that returns the results of the jobs; got ${show(callback)}.`);
  batch.phase = "completing";
  try {
    while (!(await settleAll(batch, callback))) checkLife(life);
    batch.phase = "settled";
  } finally {
    if (batch.phase !== "settled") batch.phase = "failed";
  }
  return completedResult;
}

/** Returns whether the transaction has committed. */
async function settleAll(batch: BatchCompletion, callback: BatchCallback): Promise<boolean> {
  const { engine, life } = batch;
  const hadContinued = life.hasContinued;
  const run = async () => {
    // A transaction that lost a race is run again.
    life.hasContinued = hadContinued;
    const left = batch.members.filter(({ stopReason }) => stopReason === undefined);
    batch.inside = new Set(left);
    return await transact(batch, (tx) => settleIn(batch, { left, tx }, callback));
  };
  try {
    const results = await retryConflicts(engine.state, engine.clock, run);
    for (const [member, result] of results) member.ended = { ...result, outcome: undefined };
    life.hasContinued = false;
    return true;
  } catch (error) {
    if (!(error instanceof LostMembers)) throw error;
    for (const [member, reason] of error.lost) lose(batch, member, reason);
    return false;
  } finally {
    batch.inside = new Set();
  }
}

interface Settling {
  readonly left: readonly Member[];
  readonly tx: unknown;
}

async function settleIn(batch: BatchCompletion, { left, tx }: Settling, callback: BatchCallback) {
  const { engine, life } = batch;
  const value = await callback({ tx, jobs: left.map(({ shown }) => shown), continueWith: continuing(life) });
  const entries = checkEntries(value, left.length, life.job.typeName);
  refuseLostContinuations(life, entries);
  const results = new Map<Member, AttemptResult>();
  for (const [index, member] of left.entries()) results.set(member, await readEntry(engine, member, entries[index]));
  checkLife(life);
  const settled = [...results].flatMap(([member, { outcome }]) => (outcome === undefined ? [] : [{ member, outcome }]));
  const outcomes = settled.map(({ outcome }) => outcome);
  const replies = await engine.state.settle(outcomes, engine.callOptions(tx));
  const reasons = acceptSettleReplies(engine, outcomes, replies, {
    by: (place) => settlingOf(settled[place]?.member),
    tx,
  });
  if (reasons.size > 0) {
    const lost = new Map<Member, LostReason>();
    for (const [index, reason] of reasons) {
      const member = settled[index]?.member;
      if (member !== undefined) lost.set(member, reason);
    }
    throw new LostMembers(lost);
  }
  return results;
}

function settlingOf(member: Member | undefined) {
  if (member === undefined) return { by: undefined };
  const { job, fence } = member;
  return { by: { workerId: fence.workerId, attempt: job.attempt }, claimName: otherClaimName(job) };
}

/** The job is no longer this worker's. Its batch ends if it was the last one. */
function lose({ life, members }: BatchCompletion, member: Member, reason: LostReason): void {
  const error = lostError(reason, member.job);
  member.stopReason ??= error;
  member.ended = { outcome: undefined, error, lost: reason };
  if (members.every(({ stopReason }) => stopReason !== undefined)) stopLife(life, error);
}
