import { claimName, type Compensation, type FollowUp, type JobStart } from "chainwright/adapter";
import { storedLimits } from "../limits/stored-limits.ts";

/** What a start says about the end of its chain, as functions get it. */
export interface StoredEnds {
  /** The chain that follows if it stops: JSON, as `compensation.body` has it. */
  readonly stopped: string | undefined;
  /** The deadline, as a moment or as milliseconds from the start. */
  readonly at: number | undefined;
  readonly after: number | undefined;
}

export function storedEnds({ whenStopped, deadline }: JobStart): StoredEnds | undefined {
  if (whenStopped === undefined && deadline === undefined) return undefined;
  return {
    stopped: whenStopped && storedFollowUp(whenStopped),
    at: deadline !== undefined && "at" in deadline ? deadline.at : undefined,
    after: deadline !== undefined && "afterMs" in deadline ? deadline.afterMs : undefined,
  };
}

/** A compensation as `compensation.body` has it. */
export function storedCompensation(compensation: Compensation): string {
  const { input, priority, context, limits, whenStopped } = compensation;
  return JSON.stringify({
    type: claimName(compensation),
    input,
    priority,
    context,
    limits: storedLimits(limits),
    stopped: whenStopped && storedFollowUp(whenStopped),
  });
}

function storedFollowUp(followUp: FollowUp): string {
  const { priority, context } = followUp;
  return JSON.stringify({ type: claimName(followUp), priority, context });
}
