import { ChainwrightError } from "../model/error.ts";
import type { Schedule } from "../model/schedule.ts";
import type { StartItem } from "../engine/prepare-start.ts";

/** What `continueWith` answers: a handler returns it to go on with another step. */
export interface ContinuationResult {
  readonly kind: typeof continuationKind;
  readonly item: StartItem;
}

/** What `complete` answers: the step has been settled in a transaction. */
export interface CompletedResult {
  readonly kind: typeof completedKind;
}

const continuationKind: unique symbol = Symbol("chainwright.continuation");
const completedKind: unique symbol = Symbol("chainwright.completed");

export function continueWith(item: StartItem): ContinuationResult {
  return { kind: continuationKind, item };
}

export function isContinuation(value: unknown): value is ContinuationResult {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === continuationKind;
}

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

/** A handler that did not keep to the rules. */
export function handlerResultError(typeName: string, what: string): ChainwrightError {
  return new ChainwrightError("handler-result", `the handler of "${typeName}" ${what}.`);
}
