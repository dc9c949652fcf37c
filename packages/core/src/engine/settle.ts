import { attemptOf } from "../model/attempt-number.ts";
import type { ChainEvent, EventAttempt, EventError } from "../model/event.ts";
import type { Outcome } from "../model/outcome.ts";
import { dueAt } from "../model/schedule.ts";
import type { Settled } from "../ports/state.ts";
import { readAttemptErrors } from "./attempt-errors.ts";
import { consequenceEvents, startedJobsEvents } from "./job-events.ts";

/** The events of an outcome that the store has accepted, `now` being the caller's time. */
export function settledEvents(outcome: Outcome, settled: Settled, now: number): readonly ChainEvent[] {
  const own = ownEvents(outcome, settled, now);
  const started = startedJobsEvents(settled.started);
  const consequences = consequenceEvents(settled);
  // Most outcomes touch nobody else: nothing is copied for them.
  return started.length === 0 && consequences.length === 0 ? own : [...own, ...started, ...consequences];
}

function ownEvents(outcome: Outcome, { jobId, chainId, typeName, started }: Settled, now: number): ChainEvent[] {
  const job = { jobId, chainId, typeName };
  const { target } = outcome;
  const attempt = "workerId" in target ? { workerId: target.workerId, attempt: attemptOf(target) } : {};
  switch (outcome.kind) {
    case "completed":
      return [
        { type: "job-completed", ...job, ...attempt },
        { type: "chain-completed", ...job },
      ];
    case "continued": {
      const [next] = started;
      const nextJobId = next?.jobId ?? outcome.next.id;
      return [{ type: "job-continued", ...job, ...attempt, nextJobId, nextTypeName: outcome.next.typeName }];
    }
    case "failed":
      return [
        { type: "job-failed", ...job, ...attempt, error: lastError(outcome.errors) },
        { type: "chain-failed", ...job },
      ];
    case "deferred":
      return "workerId" in target
        ? [deferredEvent(outcome, { ...job, workerId: target.workerId, attempt: attemptOf(target) }, now)]
        : [];
  }
}

function deferredEvent(
  outcome: Extract<Outcome, { readonly kind: "deferred" }>,
  attempt: EventAttempt,
  now: number,
): ChainEvent {
  const { schedule, errors } = outcome;
  const counted = attemptOf(outcome) === attempt.attempt;
  const uncounted = schedule === undefined ? "released" : "rescheduled";
  const dueInMs = schedule === undefined ? 0 : Math.max(0, dueAt(schedule, now) - now);
  const error = errors === undefined ? undefined : lastError(errors);
  return { type: "job-retried", ...attempt, reason: counted ? "error" : uncounted, error, dueInMs };
}

function lastError(errors: string): EventError | undefined {
  const last = readAttemptErrors(errors).at(-1);
  return last === undefined ? undefined : { name: last.name, message: last.message };
}
