import type { Compensation } from "../model/compensation.ts";
import type { FollowUp, FollowUpKind } from "../model/follow-up.ts";
import type { HeldAttempt } from "../rules/end-rows.ts";

/** What happens when a chain stops. It is replaced, never changed. */
export interface ChainEnds<Row> {
  readonly whenStopped: FollowUp | undefined;
  readonly deadlineAt: number | undefined;
  readonly held: HeldAttempt | undefined;
  readonly compensations: readonly StepCompensation[];
  readonly followUps: readonly { readonly chain: Row; readonly kind: FollowUpKind }[];
}

/** What undoes a step. */
export interface StepCompensation {
  readonly step: number;
  /** False: it came from a blocker. */
  readonly isOwn: boolean;
  readonly compensation: Compensation;
}

export const noEnds: ChainEnds<never> = {
  whenStopped: undefined,
  deadlineAt: undefined,
  held: undefined,
  compensations: [],
  followUps: [],
};
