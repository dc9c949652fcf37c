import type { Schedule } from "../model/schedule.ts";

/** What `complete` answers: the step has been settled in a transaction. */
export interface CompletedResult {
  readonly kind: typeof completedKind;
}

const completedKind: unique symbol = Symbol("chainwright.completed");

export const completedResult: CompletedResult = { kind: completedKind };

/** Thrown by `reschedule`: not a failure, a wish to be called again later. */
export class Reschedule extends Error {
  readonly schedule: Schedule;

  constructor(schedule: Schedule) {
    super("the attempt is rescheduled");
    this.name = "Reschedule";
    this.schedule = schedule;
  }
}
