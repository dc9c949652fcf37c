import type { Chore } from "../model/chore.ts";

/** The chores of a pass of maintenance and their limits. */
export interface MaintainRequest {
  /** Undefined: all chores, one after the other. */
  readonly chore?: Chore | undefined;
  /** Delete completed and cancelled chains that ended longer ago than this; undefined: keep them. */
  readonly completedMs: number | undefined;
  /** The same for failed ones. */
  readonly failedMs: number | undefined;
  /** The most chains to delete in this pass; other chores have a limit of about the same cost. */
  readonly limit: number;
}

/** The result of a pass of maintenance. */
export interface MaintainReply {
  /** Chains deleted. */
  readonly removed: number;
  /** Whether another pass of the same chores would find more to do. */
  readonly more: boolean;
  /** Jobs whose places of limits are free again, because someone deleted their rows by hand. Undefined: none. */
  readonly repaired?: number | undefined;
}
