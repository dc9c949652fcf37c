import { FatalError } from "../model/error.ts";
import type { Outcome } from "../model/outcome.ts";
import { handlerResultError } from "../checks/handler-result-error.ts";
import { checkSchedule, invalid, isList, show } from "../checks/check-options.ts";
import { whenKnown } from "../checks/schema-verdict.ts";
import type { Engine } from "../engine/engine.ts";
import { outcomeOf } from "../operations/outcome-of.ts";
import type { AttemptResult } from "./attempt.ts";
import { failureOutcome, isReschedule, type FailedAttempt } from "./failure-outcome.ts";
import { Reschedule } from "./handler-result.ts";

/** The result of one job of a batch that is neither an output nor a continuation. */
export interface EndedEntry {
  readonly kind: typeof endedKind;
  /** What the handler of the job alone would have thrown. */
  readonly error: unknown;
}

const endedKind: unique symbol = Symbol("chainwright.batch-entry");

export function isEnded(value: unknown): value is EndedEntry {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === endedKind;
}

/** The `failed` of a batch's context. */
export const failed = Object.assign((error: unknown): EndedEntry => ({ kind: endedKind, error }), {
  fatal: (reason: unknown): EndedEntry => ({ kind: endedKind, error: fatalError(reason) }),
});

export function rescheduleOf(schedule: object): EndedEntry {
  return { kind: endedKind, error: new Reschedule(checkSchedule(schedule, "reschedule.of")) };
}

function fatalError(reason: unknown): FatalError {
  if (typeof reason === "string") return new FatalError(reason);
  if (reason instanceof Error) return new FatalError(reason.message, { cause: reason });
  throw invalid(`failed.fatal must get a text or an error; got ${show(reason)}.`);
}

/** @throws `handler-result` unless there is one entry for each job */
export function checkEntries(value: unknown, size: number, typeName: string): readonly unknown[] {
  if (!isList(value))
    throw handlerResultError(
      typeName,
      `must return an array with one result for each of its jobs; it returned ${show(value)}`,
    );
  if (value.length !== size)
    throw handlerResultError(
      typeName,
      `must return one result for each of its ${size} jobs, in their order; it returned ${value.length}. The callback of complete gets jobs of its own, which may be fewer`,
    );
  for (let at = 0; at < size; at += 1)
    if (!(at in value)) throw handlerResultError(typeName, `returned no result for the job at place ${at}`);
  return value;
}

/** What a result means for its job. @throws errors of an output that cannot be stored */
export function readEntry(
  engine: Engine,
  member: FailedAttempt,
  entry: unknown,
): AttemptResult | Promise<AttemptResult> {
  if (isEnded(entry)) return failedResult(engine, member, entry.error);
  const { typeName, priority, pool } = member.job;
  return whenKnown(outcomeOf(engine, { typeName, priority, pool, target: member.fence }, entry), resultOfOutcome);
}

function resultOfOutcome(outcome: Outcome): AttemptResult {
  return { outcome, error: undefined };
}

/** The result of a job whose attempt failed, or is tried again later. */
export function failedResult({ clock }: Engine, member: FailedAttempt, error: unknown): AttemptResult {
  const outcome: Outcome | undefined = failureOutcome(clock, member, error);
  return { outcome, error: isReschedule(error) ? undefined : error };
}
