import { backoffMs } from "../model/backoff.ts";
import { ChainwrightError, FatalError } from "../model/error.ts";
import type { Fence, Outcome } from "../model/outcome.ts";
import type { ClaimedJob } from "../model/record.ts";
import { appendAttemptError, lastReported, type AttemptMarks } from "../checks/attempt-errors.ts";
import { UnreadableInput, unreadableRetryMs } from "../checks/unreadable-input.ts";
import type { Clock } from "../ports/clock.ts";
import { halvingsOf } from "./halvings.ts";
import { Reschedule } from "./handler-result.ts";
import type { Processor } from "./processor.ts";
import { decideRetry } from "./retry-decision.ts";

/** A claimed job that is failed without an attempt. */
type Lost = Pick<Failure, "job" | "fence">;

/** What decides on the outcome of an attempt that did not succeed. */
export interface Failure {
  readonly job: Pick<ClaimedJob, "attempt" | "errors">;
  readonly fence: Fence;
  readonly processor: Pick<Processor, "typeName" | "retry"> & Partial<Pick<Processor, "batch">>;
  /** The jobs of the call of the handler, in their order. Undefined: it gets one job at a time. */
  readonly batch?: readonly ClaimedJob[] | undefined;
  /** Why it was stopped; undefined: it was not. */
  readonly stopReason: ChainwrightError | undefined;
  /** Reports a mistake that does not change the outcome. */
  readonly reportMistake: (mistake: ChainwrightError) => void;
}

/** An attempt that did not succeed. */
export interface FailedAttempt extends Failure {
  readonly job: ClaimedJob;
  readonly processor: Processor;
}

/**
 * The outcome of an attempt that threw: the job is tried again later, or fails. It depends only on the kind of error and on the
 * retry policy. An error that throws when it is read changes nothing: `decideRetry` catches what `retry.when` throws.
 */
export function failureOutcome(clock: Clock, failed: Failure, error: unknown): Outcome | undefined {
  const { fence: target, job, stopReason } = failed;
  if (isReschedule(error))
    return { kind: "deferred", target, schedule: error.schedule, counted: false, errors: undefined };
  if (stopReason?.code === "worker-stopping") return releaseOutcome(target);
  // The lease is gone: the store would refuse any outcome.
  if (stopReason !== undefined && stopReason.code !== "timeout") return undefined;
  const { afterMs, counted, decidedBy } = fateOf(clock, failed, error);
  const errors = appendAttemptError(job.errors, {
    attempt: job.attempt,
    at: clock.now(),
    workerId: target.workerId,
    error,
    isLast: afterMs === undefined,
    marks: { ...(!counted && { uncounted: true }), ...(decidedBy && { decidedBy }), ...batchMark(failed) },
  });
  if (afterMs === undefined) return { kind: "failed", target, errors };
  return { kind: "deferred", target, schedule: { afterMs }, counted, errors };
}

/** Only failed attempts of batches are marked, so that no other job stores more. */
function batchMark({ job, processor, batch }: Failure): Pick<AttemptMarks, "batch"> | undefined {
  if (batch === undefined || processor.batch === undefined) return undefined;
  const jobs: readonly object[] = batch;
  const next = jobs.indexOf(job) + 1;
  // One that could not be read got no call.
  if (next === 0) return undefined;
  const others = [...batch.slice(next, next + mostOthers), ...batch.slice(0, next - 1)].slice(0, mostOthers);
  const halvings = halvingsOf(job, processor.batch);
  return { batch: { size: batch.length, halvings, others: others.map(({ id }) => id) } };
}

/** The ids that are stored with a failed attempt of a batch: enough to go from each job to the next ones, until all were seen. */
const mostOthers = 10;

interface Fate {
  /** Undefined: the job fails. */
  readonly afterMs: number | undefined;
  readonly counted: boolean;
  readonly decidedBy?: "when";
}

function fateOf(clock: Clock, { job: { attempt }, processor, reportMistake }: Failure, error: unknown): Fate {
  const { maxAttempts, backoff } = processor.retry;
  if (isUnreadable(error)) return { afterMs: unreadableRetryMs, counted: false };
  if (isFatal(error)) return failing;
  const verdict = decideRetry({ processor, attempt, error }, reportMistake);
  if (verdict === "fail") return { ...failing, decidedBy: "when" };
  if (verdict !== "retry" && !verdict.counted) return { ...verdict, decidedBy: "when" };
  if (attempt >= maxAttempts) return failing;
  if (verdict !== "retry") return { ...verdict, decidedBy: "when" };
  return { afterMs: backoffMs(backoff, attempt, clock.random()), counted: true };
}

const failing: Fate = { afterMs: undefined, counted: true };

/** Gives a job back at once; the attempt does not count. */
export function releaseOutcome(fence: Fence): Outcome {
  return { kind: "deferred", target: fence, schedule: undefined, counted: false, errors: undefined };
}

/**
 * Fails a job whose attempts were all used before this claim: the last one never reported a result, or the retry policy has been
 * lowered since. @param blockedMs how long the event loop of this process was blocked while it held the job
 */
export function spentOutcome(clock: Clock, { job, fence }: Lost, blockedMs: number | undefined): Outcome {
  const error = new ChainwrightError("lease-lost", spentReason(job, blockedMs));
  const { attempt } = job;
  const { workerId } = fence;
  return {
    kind: "failed",
    target: fence,
    errors: appendAttemptError(job.errors, { attempt, at: clock.now(), workerId, error, isLast: true }),
  };
}

/** @param job with the number of its last attempt */
function spentReason({ attempt, errors }: Lost["job"], blockedMs: number | undefined): string {
  if (lastReported(errors) === attempt) return `all ${attempt} attempts were used; its processor now allows fewer.`;
  const used = `all ${attempt} attempts were used; the last one never reported a result`;
  if (blockedMs === undefined) return `${used}: its process probably died, or could not renew the lease in time.`;
  return (
    `${used} in time. In this process the event loop was blocked for ${blockedMs} ms while it held the job, so no lease was ` +
    "renewed; run the work in a thread, or raise leaseMs."
  );
}

export function isReschedule(error: unknown): error is Reschedule {
  return safely(() => error instanceof Reschedule);
}

export function isUnreadable(error: unknown): error is UnreadableInput {
  return safely(() => error instanceof UnreadableInput);
}

/** Checks the name too: a process may contain two copies of the package. */
function isFatal(error: unknown): boolean {
  return safely(() => error instanceof FatalError || (error instanceof Error && error.name === "FatalError"));
}

/** A revoked proxy throws when it is read. */
function safely(look: () => boolean): boolean {
  try {
    return look();
  } catch {
    return false;
  }
}
