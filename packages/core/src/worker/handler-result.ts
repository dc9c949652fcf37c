import { continueWith, isContinuation } from "../operations/continuation.ts";
import { handlerResultError } from "../checks/handler-result-error.ts";
import { checkLife, type AttemptLife } from "./attempt-life.ts";
import type { Schedule } from "../model/schedule.ts";

/** The result of `complete`: the step was settled in a transaction. */
export interface CompletedResult {
  readonly kind: typeof completedKind;
}

const completedKind: unique symbol = Symbol("chainwright.completed");

export const completedResult: CompletedResult = { kind: completedKind };

/** The `continueWith` of a handler. It throws after the end of the attempt, as all calls of the context. */
export function continuing(life: AttemptLife): typeof continueWith {
  return (item) => {
    checkLife(life);
    life.hasContinued = true;
    return continueWith(item);
  };
}

/** Refuses to end a chain whose handler called `continueWith` and returned something else, or nothing. */
export function refuseLostContinuation(life: AttemptLife, value: unknown): void {
  if (!life.hasContinued || isContinuation(value)) return;
  refuse(life, value);
}

/** The same for the results of a batch: `continueWith` may be called for some of its jobs. */
export function refuseLostContinuations(life: AttemptLife, values: readonly unknown[]): void {
  if (life.hasContinued && !values.some(isContinuation)) refuse(life, values);
}

function refuse(life: AttemptLife, value: unknown): never {
  const returned = value === undefined ? "nothing" : "another value";
  throw handlerResultError(
    life.job.typeName,
    `called continueWith and returned ${returned}; return the result of continueWith, or call it only to continue`,
  );
}

/** Whether a handler that called `complete` returned what `complete` returns, or nothing. */
export function isResultOfComplete(value: unknown): boolean {
  return value === undefined || value === completedResult;
}

/** Thrown by `reschedule`: the handler is to be called again later, and the attempt has not failed. */
export class Reschedule extends Error {
  readonly schedule: Schedule;

  constructor(schedule: Schedule) {
    super("the attempt is rescheduled");
    this.name = "Reschedule";
    this.schedule = schedule;
  }
}
