import type { FollowUp } from "./follow-up.ts";
import type { JobStart } from "./job-start.ts";

/**
 * What undoes a step: the first job of a chain that the store starts if the chain of that step fails or is cancelled. The store makes
 * its id then.
 */
export interface Compensation extends Pick<
  JobStart,
  "typeName" | "version" | "pool" | "input" | "priority" | "context" | "limits"
> {
  /** What follows if the compensation itself fails or is cancelled. */
  readonly whenStopped?: FollowUp | undefined;
}
