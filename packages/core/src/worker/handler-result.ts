import { continueWith } from "../operations/continuation.ts";
import { checkLife, type AttemptLife } from "./attempt-life.ts";
import type { Schedule } from "../model/schedule.ts";

/** What `complete` answers: the step has been settled in a transaction. */
export interface CompletedResult {
  readonly kind: typeof completedKind;
}

const completedKind: unique symbol = Symbol("chainwright.completed");

export const completedResult: CompletedResult = { kind: completedKind };

/** A handler's own `continueWith`, which is refused like everything else once its attempt is over. */
export function continuing(life: AttemptLife): typeof continueWith {
  return (item) => {
    checkLife(life);
    return continueWith(item);
  };
}

/** Thrown by `reschedule`: not a failure, a wish to be called again later. */
export class Reschedule extends Error {
  readonly schedule: Schedule;

  constructor(schedule: Schedule) {
    super("the attempt is rescheduled");
    this.name = "Reschedule";
    this.schedule = schedule;
  }
}
