import { continueWith } from "../operations/continuation.ts";
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
    return continueWith(item);
  };
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
