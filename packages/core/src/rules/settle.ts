import type { JobStart } from "../model/job-start.ts";
import type { Fence, LostReason, OpenStep, Outcome } from "../model/outcome.ts";
import { dueAt } from "../model/schedule.ts";
import type { CompensateItem, CompensateReply } from "../ports/compensate.ts";
import type { SettleReply } from "../ports/exchange.ts";
import type { Consequences, Refusal, Reply, StartedJob } from "../ports/reply.ts";
import { writeJob } from "./begin.ts";
import type { Written } from "./begin.ts";
import { findCycle } from "./cycle.ts";
import { createBudget, followEnd } from "./end.ts";
import type { EndCall } from "./end.ts";
import { report } from "./report.ts";
import { noteAttempt, readyAfter } from "./follow-ups.ts";
import { noConsequences, nothing, refused } from "./replies.ts";
import type { EndedBy, Handle, Rows } from "./rows.ts";

/*
 * Who may settle a job, and how.
 *
 * An attempt settles its job if the fence that it names is the job's current one: also after its lease has run out, as long as no
 * one has claimed the job since. Anyone else may end the open job of a chain, under the type that they believe it has; an
 * attempt that is under way then finds its lease gone.
 *
 * An outcome completes or fails the job and its chain, continues the chain with a next job, or lets the job wait for another
 * attempt.
 */

/** Settles each outcome by itself: one that is lost or refused has no effect on the others. */
export function settle<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  outcomes: readonly Outcome[],
  now: number,
): readonly SettleReply[] {
  if (outcomes.length === 0) return nothing;
  const call: EndCall = { budget: createBudget(), now };
  return outcomes.map((outcome) => settleOne(rows, outcome, call));
}

function settleOne<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  outcome: Outcome,
  call: EndCall,
): SettleReply {
  const { target } = outcome;
  if ("jobId" in target) {
    const job = rows.leasedJob(target);
    if (job === undefined) return lost(rows, target, call.now);
    const reply = write(rows, outcome, { job, chain: rows.chainOf(job), by: "attempt", call });
    const { reports } = outcome;
    if (reports !== undefined && reply.status === "settled") report(rows, job, { reports, now: call.now });
    return reply;
  }
  const open = findOpenJob(rows, target);
  if ("code" in open) return { status: "refused", refusal: open };
  return write(rows, outcome, { ...open, by: "other", call });
}

/** The attempt is over, although its outcome counts for nothing: what waited for it can begin. */
function lost<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  attempt: Fence,
  now: number,
): SettleReply {
  const reason = lostReason(rows, attempt.jobId, now);
  const ready = reason === "lease-lost" ? undefined : readyAfter(rows, attempt, now);
  return ready === undefined ? { status: "lost", reason } : { status: "lost", reason, ready };
}

/** Records what undoes the steps of running attempts. Each item by itself. */
export function compensate<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  items: readonly CompensateItem[],
  now: number,
): readonly CompensateReply[] {
  return items.map(({ target, compensation }) => {
    const job = rows.leasedJob(target);
    if (job === undefined) return lostReason(rows, target.jobId, now);
    rows.ends.record(job, compensation);
    return "recorded";
  });
}

/** Why the attempt that names a job does not hold it any more. */
export function lostReason<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  jobId: string,
  now: number,
): LostReason {
  const job = rows.job(jobId);
  if (job === undefined || rows.chainStatusOf(rows.chainOf(job)) === "cancelled") return "cancelled";
  const status = rows.jobStatusOf(job, now);
  return status === "completed" || status === "failed" ? "completed-elsewhere" : "lease-lost";
}

function findOpenJob<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  { chainId: id, typeName }: OpenStep,
): { readonly job: Job; readonly chain: Chain } | Refusal {
  const chain = rows.chain(id);
  if (chain === undefined) return { code: "chain-not-found", id };
  const status = rows.chainStatusOf(chain);
  if (status !== "active") return { code: "chain-not-active", id, actual: status };
  const job = rows.lastJob(chain);
  const actual = rows.typeNameOf(job);
  return actual === typeName ? { job, chain } : { code: "job-type-mismatch", id, actual };
}

/** A job that may be settled. */
interface Settling<Job, Chain> {
  readonly job: Job;
  readonly chain: Chain;
  readonly by: EndedBy;
  readonly call: EndCall;
}

type OutcomeOf<Kind> = Extract<Outcome, { readonly kind: Kind }>;

function write<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  outcome: Outcome,
  settling: Settling<Job, Chain>,
): SettleReply {
  switch (outcome.kind) {
    case "completed":
    case "failed":
      return end(rows, outcome, settling);
    case "continued":
      return continueChain(rows, outcome, settling);
    case "deferred":
      return defer(rows, outcome, settling);
  }
}

function end<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  outcome: OutcomeOf<"completed"> | OutcomeOf<"failed">,
  { job, chain, by, call }: Settling<Job, Chain>,
): SettleReply {
  const status = outcome.kind;
  if (status === "failed" && by === "other") noteAttempt(rows, { chain, job, now: call.now });
  rows.end(job, chain, {
    status,
    output: status === "completed" ? outcome.output : undefined,
    outputVersion: status === "completed" ? outcome.outputVersion : undefined,
    errors: status === "failed" ? outcome.errors : undefined,
    reason: undefined,
    failedBy: undefined,
    by,
    now: call.now,
  });
  const typeName = rows.typeNameOf(job);
  return settled(job, { chain, typeName, started: nothing }, followEnd(rows, { chain, status }, call));
}

function defer<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  { schedule, counted, errors }: OutcomeOf<"deferred">,
  { job, chain, call: { now } }: Settling<Job, Chain>,
): SettleReply {
  const due = schedule === undefined ? now : Math.max(now, dueAt(schedule, now));
  rows.putBack(job, { dueAt: due, status: due > now ? "scheduled" : "ready", counted, errors });
  return settled(job, { chain, typeName: rows.typeNameOf(job), started: nothing }, noConsequences);
}

function continueChain<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  { next, compensation }: OutcomeOf<"continued">,
  settling: Settling<Job, Chain>,
): SettleReply {
  const { job, chain, by, call } = settling;
  // Without blockers all that may refuse it comes before the first write, so there is nothing to undo.
  const reply =
    next.blockers.length === 0
      ? writeNext(rows, next, settling)
      : rows.allOrNothing(() => writeNext(rows, next, settling));
  if (!reply.ok) return { status: "refused", refusal: reply.refusal };
  const { job: nextJob, status, jobs: started } = reply.value;
  if (compensation !== undefined) rows.ends.record(job, compensation);
  rows.complete(job, nextJob, { by, now: call.now });
  // One of its blockers may have failed: then the chain has ended with it.
  const consequences = status === "failed" ? followEnd(rows, { chain, status }, call) : noConsequences;
  return settled(job, { chain, typeName: rows.typeNameOf(job), started }, consequences);
}

function writeNext<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  next: JobStart,
  { job, chain, call: { now } }: Settling<Job, Chain>,
): Reply<Written<Job>> {
  const value = writeJob(rows, next, { after: job, chainId: chain.id, isBlocker: false, now });
  if ("code" in value) return refused(value);
  const references = next.blockers.length === 0 ? undefined : findCycle(rows, value.job, chain);
  if (references !== undefined) return refused({ code: "blocker-cycle", id: chain.id, references });
  return { ok: true, value };
}

interface Reported {
  readonly chain: Handle;
  readonly typeName: string;
  readonly started: readonly StartedJob[];
}

function settled(job: Handle, { chain, typeName, started }: Reported, consequences: Consequences): SettleReply {
  return {
    status: "settled",
    jobId: job.id,
    chainId: chain.id,
    typeName,
    started,
    unblocked: consequences.unblocked,
    failed: consequences.failed,
    reblocked: consequences.reblocked,
    awaited: consequences.awaited,
    unused: consequences.unused,
    followUps: consequences.followUps,
    releasing: consequences.releasing,
  };
}
