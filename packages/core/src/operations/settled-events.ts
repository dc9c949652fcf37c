import type { ChainEvent, EventAttempt, EventJob, WaitingJob } from "../model/event.ts";
import type { EventError } from "../model/event-error.ts";
import type { Outcome } from "../model/outcome.ts";
import { dueAt } from "../model/schedule.ts";
import type { Settled } from "../ports/exchange.ts";
import { readAttemptErrors } from "../checks/attempt-errors.ts";
import { consequenceEvents, endedChain, releasingEvents, startedJobsEvents } from "../engine/job-events.ts";

/** The attempt that settled an outcome. */
export type SettledBy = Pick<EventAttempt, "workerId" | "attempt">;

export interface Settling {
  /** By the caller's clock. */
  readonly now: number;
  /** Undefined: a caller that is not a worker. */
  readonly by: SettledBy | undefined;
  /** The name under which workers claim a job that waits again, where that is not its type. */
  readonly claimName?: string | undefined;
}

/** The events of an outcome that the store has accepted. */
export function settledEvents(outcome: Outcome, settled: Settled, settling: Settling): readonly ChainEvent[] {
  const own = ownEvents(outcome, settled, settling);
  const started = startedJobsEvents(settled.started, settled.awaited);
  const consequences = consequenceEvents(settled);
  // Most outcomes affect no other chain: nothing is copied for them.
  if (started.length === 0 && consequences.length === 0 && !settled.releasing) return own;
  return [...own, ...started, ...consequences, ...releasingEvents(settled)];
}

function ownEvents(
  outcome: Outcome,
  { jobId, chainId, typeName, started, awaited }: Settled,
  { now, by, claimName }: Settling,
): ChainEvent[] {
  const job = { jobId, chainId, typeName };
  switch (outcome.kind) {
    case "completed":
      return [completedEvent(job, by), { ...endedChain(job, awaited), type: "chain-completed" }];
    case "continued": {
      const [next] = started;
      const nextJobId = next?.jobId ?? outcome.next.id;
      return [{ type: "job-continued", ...job, ...by, nextJobId, nextTypeName: outcome.next.typeName }];
    }
    case "failed":
      return [
        { type: "job-failed", ...job, ...by, ...lastFailure(outcome.errors) },
        { type: "chain-failed", ...endedChain(job, awaited) },
      ];
    case "deferred":
      return by === undefined
        ? []
        : [deferredEvent(outcome, { ...job, ...by, ...(claimName !== undefined && { claimName }) }, now)];
  }
}

/** Written out: nearly every job has one, and two spreads would take longer than all else that its end does here. */
function completedEvent({ jobId, chainId, typeName }: EventJob, by: SettledBy | undefined): ChainEvent {
  if (by === undefined) return { type: "job-completed", jobId, chainId, typeName };
  return { type: "job-completed", jobId, chainId, typeName, workerId: by.workerId, attempt: by.attempt };
}

function deferredEvent(
  outcome: Extract<Outcome, { readonly kind: "deferred" }>,
  attempt: EventAttempt & WaitingJob,
  now: number,
): ChainEvent {
  const { schedule, counted, errors } = outcome;
  const uncounted = schedule === undefined ? "released" : "rescheduled";
  const dueInMs = schedule === undefined ? 0 : Math.max(0, dueAt(schedule, now) - now);
  return { type: "job-retried", ...attempt, reason: counted ? "error" : uncounted, ...lastFailure(errors), dueInMs };
}

/** The error of the last attempt, and what decided on it. */
function lastFailure(errors: string | undefined): {
  readonly error: EventError | undefined;
  readonly decidedBy?: "when";
} {
  const last = readAttemptErrors(errors).at(-1);
  if (last === undefined) return { error: undefined };
  const { attempt: _, at: __, workerId: ___, uncounted: ____, batch: _____, decidedBy, ...error } = last;
  return { error, ...(decidedBy && { decidedBy }) };
}
