import type { Compensation } from "../model/compensation.ts";
import type { Fence, LostReason } from "../model/outcome.ts";

/** What undoes the step of an attempt. It replaces what the step recorded before. */
export interface CompensateItem {
  readonly target: Fence;
  readonly compensation: Compensation;
}

/** Recorded; or the attempt has lost its job, and nothing was written. */
export type CompensateReply = "recorded" | LostReason;
