import type { Compensation, FollowUp, FollowUpKind, HeldAttempt } from "chainwright/adapter";

/** What happens when a chain stops. */
export interface Ends {
  readonly whenStopped: FollowUp | undefined;
  readonly deadlineAt: number | undefined;
  readonly held: HeldAttempt | undefined;
  readonly compensations: readonly StepCompensation[];
  readonly followUps: readonly { readonly chainId: string; readonly kind: FollowUpKind }[];
}

interface StepCompensation {
  readonly step: number;
  /** False: it came from a blocker. */
  readonly isOwn: boolean;
  readonly compensation: Compensation;
}
